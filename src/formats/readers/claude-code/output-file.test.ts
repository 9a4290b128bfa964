import { expect, it } from "vitest";
import { outputFiles } from "./output-file.ts";

const preview = (path: string) =>
  `<persisted-output>\nOutput too large (60KB). Full output saved to: ${path}\n\nPreview`;

it.each([
  [
    "p/sid.jsonl",
    preview("/home/x/.claude/projects/p/sid/tool-results/toolu_1.txt"),
    "sid/tool-results/toolu_1.txt",
  ],
  [
    "p/sid.jsonl",
    preview("C:\\x\\.claude\\projects\\p\\old\\tool-results\\toolu_1.json"),
    "old/tool-results/toolu_1.json",
  ],
  ["p/sid.jsonl", "<persisted-output>\nno path", "sid/tool-results/toolu_9.txt"],
  ["p/agent-1.jsonl", preview("/x/sid/tool-results/toolu_1.txt"), "sid/tool-results/toolu_1.txt"],
  ["p/sid/subagents/agent-1.jsonl", preview("/x/sid/tool-results/t.txt"), "../tool-results/t.txt"],
  [
    "p/sid/subagents/workflows/w/agent-1.jsonl",
    preview("/x/sid/tool-results/t.txt"),
    "../../../tool-results/t.txt",
  ],
  ["p/sid.jsonl", "plain output that names sid/tool-results/t.txt", undefined],
])("finds the file of a long output from %s", (path, text, name) => {
  expect(outputFiles(path, "sid")(text, "toolu_9")).toBe(name);
});

it("does not let the id of a call lead elsewhere", () => {
  expect(outputFiles("sid.jsonl", "sid")("<persisted-output>", "../../etc/passwd")).toBe(
    "sid/tool-results/______etc_passwd.txt",
  );
});
