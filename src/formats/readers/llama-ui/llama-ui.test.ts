import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type RecordingSink, readFile, recordsIn } from "../../../../test/support/samples/recording-sink.ts";
import type { SourceEntry } from "../../contract/reader.ts";
import { llamaUi } from "./index.ts";

const text = readFileSync("test/fixtures/llama-ui/two-sessions.jsonl", "utf8");

function read(lines: string): RecordingSink {
  return readFile(llamaUi.lines, lines, "export.jsonl");
}

describe("an export of llama.cpp's UI", () => {
  const sink = read(text);
  const entry = (id: string): SourceEntry =>
    sink.conversations[0]?.entries.find((found) => found.id === id) as SourceEntry;

  it("is recognised by its harness", () => {
    expect(llamaUi.lines.sniff(recordsIn(text), "x.jsonl")).toBe(true);
    expect(llamaUi.lines.sniff([{ type: "session", version: 3, id: "a" }], "x.jsonl")).toBe(false);
  });

  it("may hold several conversations", () => {
    expect(sink.conversations.map(({ start }) => [start.sourceId, start.title])).toEqual([
      ["c1", "Knots"],
      ["c2", undefined],
    ]);
    expect(sink.lines(1)).toEqual(["user: Alone."]);
    expect(sink.conversations[1]?.leaf).toBe("n1");
  });

  it("adds the shown path first, parents before children, without the hidden root", () => {
    expect(sink.conversations[0]?.entries.map(({ id, parent }) => [id, parent])).toEqual([
      ["m1", null],
      ["m2", "m1"],
      ["m4", "m2"],
      ["m5", "m4"],
      ["m3", "m2"],
      ["m6", "lost"],
    ]);
    expect(sink.conversations[0]?.leaf).toBe("m5");
  });

  it("keeps thoughts, calls, results and counts", () => {
    expect(entry("m3").message).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Which knot?" },
        { type: "text", text: "Reef knot." },
      ],
      model: "qwen",
      usage: { input_tokens: 30, output_tokens: 9, cache_read_input_tokens: 4 },
    });
    expect(entry("m4").message?.content).toEqual([
      { type: "thinking", thinking: "older member" },
      { type: "tool_use", id: "call_1", name: "lookup", input: { q: "knot" } },
    ]);
    expect(entry("m5").message).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "call_1", content: "bowline" }],
    });
    expect(entry("m1")).toMatchObject({
      at: 1751900001000,
      message: { role: "system", content: "You know knots." },
    });
  });

  it("keeps attachments", () => {
    expect(entry("m2").message?.content).toMatchObject([
      { type: "text", text: "Which knot?" },
      { type: "image", source: { type: "base64", media_type: "image/png" } },
      { type: "document", title: "rope.txt", source: { type: "text", data: "hemp" } },
      { type: "document", title: "knots.pdf", source: { type: "base64", media_type: "application/pdf" } },
      { type: "llama-ui_audio", base64Data: "UklG" },
      { type: "llama-ui_scent", name: "tar" },
    ]);
  });

  it("reports unknown records and loses none", () => {
    expect(sink.unknowns.toSorted()).toEqual(["attachment scent", "role oracle", "sticker"]);
    const kept = sink.conversations.flatMap(({ entries, notes }) => [
      ...entries.flatMap(({ records }) => records),
      ...notes,
    ]);
    expect(kept).toHaveLength(text.trim().split("\n").length);
    expect(entry("m6").message).toMatchObject({ role: "system", extra: { "llama-ui": { role: "oracle" } } });
  });

  it("keeps sessions apart whose first lines are lost", () => {
    const torn = text
      .split("\n")
      .filter((line) => !line.includes('"harness"'))
      .join("\n");
    const spoken = (found: RecordingSink): unknown[] =>
      found.conversations.map(({ start, entries }) => [start.sourceId, entries.map(({ id }) => id).sort()]);
    expect(spoken(read(torn))).toEqual(spoken(sink));
    expect(llamaUi.lines.sniff([JSON.parse(torn.split("\n")[0] as string)], "x.jsonl")).toBe(true);
  });

  it("survives properties of any shape", () => {
    const odd = [
      null,
      {},
      { type: "message" },
      { type: "message", message: { extra: [1, {}], toolCalls: "x", parent: 4 } },
    ];
    expect(() => read(odd.map((value) => JSON.stringify(value)).join("\n"))).not.toThrow();
  });
});
