import { describe, expect, it } from "vitest";
import { splitCommand } from "./split-command.ts";

describe("a command as words", () => {
  it.each([
    ["op read op://vault/item", ["op", "read", "op://vault/item"]],
    ["  pass   show  a ", ["pass", "show", "a"]],
    [`pass show "two words"`, ["pass", "show", "two words"]],
    [`pass show 'a|b $HOME'`, ["pass", "show", "a|b $HOME"]],
    [`pass show a\\ b`, ["pass", "show", "a b"]],
    [`pass "say \\"it\\""`, ["pass", 'say "it"']],
    [`pass ''`, ["pass", ""]],
    [`/usr/bin/pass x`, ["/usr/bin/pass", "x"]],
  ])("%s", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it.each(["pass show a | head -1", "echo $KEY", "cat <key", "a; b", "a & b", "echo `key`", "echo (a)"])(
    "refuses what needs a shell: %s",
    (line) => expect(() => splitCommand(line)).toThrow("The command runs without a shell"),
  );

  it.each([
    ["", "The command is empty"],
    ["'' x", "The command is empty"],
    ["pass 'x", "unclosed"],
    ["./key.sh", "an absolute path"],
    ["bin/key", "an absolute path"],
    ["a\0b", "NUL"],
    ["sk-proj-0123456789", "looks like a secret"],
  ])("refuses %j", (line, message) => {
    expect(() => splitCommand(line)).toThrow(message);
  });
});
