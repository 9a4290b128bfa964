import { describe, expect, it } from "vitest";
import { fc } from "../../../../test/support/fast-check.ts";
import { RecordingSink, surroundings } from "../../../../test/support/samples/recording-sink.ts";
import { FlatTools, mediaBlock } from "../../../message/apis/flat-tools.ts";
import type { Json } from "../../../util/json.ts";
import type { RecordReader } from "../../contract/reader.ts";
import { FoundBefore } from "../../import/forks/found-before.ts";
import { colloquy } from "../colloquy/index.ts";
import { goclaw } from "../goclaw/index.ts";
import { komatachi } from "../komatachi/index.ts";
import { personalAgent } from "../personal-agent/index.ts";

const MEMBERS = [
  ...[
    "role",
    "content",
    "timestamp",
    "ts",
    "id",
    "parent_id",
    "_type",
    "version",
    "seq",
    "branch",
    "data",
    "sum",
  ],
  ...[
    "tool_calls",
    "tool_results",
    "tool_call_id",
    "media",
    "thinking",
    "model_id",
    "attached",
    "function",
    "name",
  ],
  ...[
    "params",
    "messages",
    "colloquy",
    "info",
    "entries",
    "blobs",
    "branches",
    "active",
    "type",
    "source",
    "url",
  ],
];
const WORDS = [
  "user",
  "assistant",
  "tool",
  "metadata",
  "info",
  "label",
  "message",
  "branch",
  "tool_result",
  "x",
];

const anything = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(...WORDS, null, true, 0, 2, -1, 1e300, "2026-01-01T00:00:00Z", '{"a":1}', "[1]"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...MEMBERS), tie("value"), { maxKeys: 8 }),
  ),
})).value;

describe("readers of plain transcripts", () => {
  it("never throw, and keep every record, whatever it says", () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 8 }), (values) => {
        for (const format of [colloquy.lines, goclaw.lines, personalAgent.lines, komatachi.lines]) {
          const sink = new RecordingSink();
          const reader: RecordReader = format.open(sink, surroundings("a/b.jsonl"), undefined);
          for (const [index, value] of values.entries()) reader.record({ value, line: index + 1, offset: 0 });
          reader.end(true);
          format.open(sink, surroundings("a/b.jsonl"), reader.state());
          const kept = sink.conversations.flatMap(({ entries, notes }) => [
            ...entries.flatMap(({ records }) => records),
            ...notes,
          ]);
          expect(kept.length + sink.skipped.length).toBe(values.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("never throw at a document", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...MEMBERS), anything), (value) => {
        for (const format of [colloquy.document, personalAgent.document]) {
          format.sniff(value);
          format.read(
            { value, line: null, offset: null },
            new RecordingSink(),
            surroundings("a/b.json"),
            new FoundBefore(),
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("FlatTools", () => {
  it("pairs by id, and by order where there is none", () => {
    const tools = new FlatTools();
    expect(tools.call({ id: "a", name: "x", params: {} }, "made-1")).toMatchObject({ id: "a" });
    expect(tools.call({ name: "y" }, "made-2")).toEqual({
      type: "tool_use",
      id: "made-2",
      name: "y",
      input: {},
    });
    expect(tools.result({ id: "a", content: "1" })).toEqual({
      type: "tool_result",
      tool_use_id: "a",
      content: "1",
    });
    expect(tools.result({ output: 2, error: "no" })).toEqual({
      type: "tool_result",
      tool_use_id: "made-2",
      content: "2",
      is_error: true,
      paired: "order",
      flat: { error: "no" },
    });
    expect(tools.waiting).toEqual([]);
  });

  it("makes pictures of media, however they are given", () => {
    expect(mediaBlock({ url: "data:image/gif;base64,R0lG" })).toEqual({
      type: "image",
      source: { type: "base64", media_type: "image/gif", data: "R0lG" },
    });
    expect(mediaBlock({ type: "file", base64: "AA==", mimetype: "application/pdf" })).toMatchObject({
      type: "document",
    });
    expect(mediaBlock({ type: "sticker" })).toEqual({ type: "media", media: { type: "sticker" } });
  });
});
