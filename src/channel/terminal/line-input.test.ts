import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fc } from "../../../test/support/fast-check.ts";
import { Screen } from "../../../test/support/processes/screen.ts";
import { completed } from "./completion.ts";
import { type EditedText, EMPTY, edited } from "./edited-text.ts";
import { InputHistory } from "./input-history.ts";
import { InputView } from "./input-view.ts";
import { type Key, type KeyName, KeyReader } from "./keys.ts";

const typed = (text: string): Key => ({ name: "text", text });

function press(...keys: (KeyName | { text: string })[]): string {
  const state = keys.reduce<EditedText>(
    (before, key) => edited(before, typeof key === "string" ? { name: key } : typed(key.text)),
    EMPTY,
  );
  return `${state.text.slice(0, state.cursor)}|${state.text.slice(state.cursor)}`;
}

describe("keys", () => {
  it("are read from what a terminal sends", () => {
    const names = (data: string): string[] =>
      new KeyReader().push(data).map((key) => (key.name === "text" ? key.text : key.name));
    expect(names("hi é日\r\u001b[A\u001bOB\u001b[1;5D\u007f\u0003")).toEqual([
      "hi é日",
      ..."enter up down word-left backspace interrupt".split(" "),
    ]);
    // Alt-Enter, Shift-Enter of terminals that report it, and Ctrl-J.
    expect(names("\u001b\r\u001b[13;2u\n")).toEqual(["newline", "newline", "newline"]);
    // Unknown ones do nothing.
    expect(names("\u001b[99;99~\u001bx\u0000a")).toEqual(["a"]);
  });

  it("are the same when they arrive in pieces, and a paste is one text", () => {
    const data = "a\u001b[C\u001b[200~one\rtwo\r\nthree\u001b[31m\u001b[201~b\u001b[1;5C";
    const whole = new KeyReader().push(data);
    expect(whole).toContainEqual(typed("one\ntwo\nthree\u001b[31m"));
    const reader = new KeyReader();
    expect([...data].flatMap((unit) => reader.push(unit))).toEqual(whole);
  });
});

describe("a text that is edited", () => {
  it.each<[string, string]>([
    [press({ text: "one two" }, "left", "backspace", { text: "W" }), "one tW|o"],
    [press({ text: "one two" }, "home", "delete", "end", "delete-word"), "ne |"],
    [press({ text: "one two" }, "word-left", "delete-to-end", "left"), "one| "],
    [press({ text: "a👨‍👩‍👧b" }, "left", "backspace"), "a|b"],
    [press({ text: "e\u0301" }, "backspace"), "|"],
    [press({ text: "one" }, "newline", { text: "three" }, "up", { text: "!" }), "one!|\nthree"],
    [press({ text: "one\ntwo" }, "home", "backspace"), "one|two"],
    [press({ text: "one\ntwo" }, "up", "up", "home", "down", "delete-to-end"), "one\n|"],
    [press({ text: "one two" }, "word-left", "delete-to-start"), "|two"],
    [press("backspace", "left", "right", "up", "down", "delete"), "|"],
  ])("%#: is %j", (state, wanted) => {
    expect(state).toBe(wanted);
  });

  it("is shown as it is, with the cursor in its place, after any keys and at any width", () => {
    const key: fc.Arbitrary<Key> = fc.oneof(
      fc.constantFrom("a", "word ", "日本", "x".repeat(12), "one\ntwo").map(typed),
      fc
        .constantFrom<KeyName>("newline", "backspace", "delete", "left", "right", "up", "home", "word-left")
        .map((name) => ({ name })),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40 }), fc.integer({ min: 8, max: 30 }), (keys, columns) => {
        const view = new InputView(
          () => columns,
          "> ",
          (prompt) => prompt,
        );
        const screen = new Screen(columns).write(view.show(EMPTY));
        let state = EMPTY;
        for (const one of keys) {
          state = edited(state, one);
          screen.write(view.show(state));
        }
        const fresh = new Screen(columns).write(
          new InputView(
            () => columns,
            "> ",
            (p) => p,
          ).show(state),
        );
        expect({ text: screen.text, cursor: screen.cursor }).toEqual({
          text: fresh.text,
          cursor: fresh.cursor,
        });
        const letters = (text: string): string => text.replace(/\s/g, "");
        expect(letters(fresh.text)).toBe(`>${letters(state.text)}`);
      }),
    );
  });
});

describe("completion", () => {
  const at = (text: string): EditedText => ({ text, cursor: text.length });
  const commands = ["/new", "/model", "/history", "/help"];
  it.each([
    ["/n", "/new ", []],
    ["/h", "/h", ["/history", "/help"]],
    ["/he", "/help ", []],
    ["/m gpt", "/m gpt", []],
    ["/x", "/x", []],
  ])("of %j is %j, or a choice of %j", (text, result, candidates) => {
    const found = completed(at(text), commands);
    expect([found.state.text, found.candidates]).toEqual([result, candidates]);
  });
});

describe("the history of input", () => {
  const folder = mkdtempSync(join(tmpdir(), "colloquy-history-"));
  const path = join(folder, "state", "chat-history.jsonl");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is kept in a private file, without repetitions, and shared", () => {
    const [one, other] = [new InputHistory(path), new InputHistory(path)];
    one.add("first\nsecond line");
    other.add("third");
    one.add("third");
    one.add("  ");
    expect([0, 1, 2].map((age) => new InputHistory(path).at(age))).toEqual([
      "third",
      "first\nsecond line",
      undefined,
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is bounded, and survives a damaged file", () => {
    writeFileSync(path, `not json\n"kept"\n`);
    const history = new InputHistory(path);
    expect(history.at(0)).toBe("kept");
    for (let n = 0; n < 510; n++) history.add(`${n}`);
    expect(history.at(499)).toBe("10");
    expect(history.at(500)).toBeUndefined();
  });
});
