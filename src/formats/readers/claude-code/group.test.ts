import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RecordingSink, readLines, surroundings } from "../../../../test/support/samples/recording-sink.ts";
import type { Json } from "../../../util/json.ts";
import { claudeCode } from "./index.ts";

const SESSION = "5e550000-0000-4000-8000-000000000000";
const line = (type: string, uuid: string, parentUuid: string | null, message: object, more: object = {}) => ({
  ...{ type, uuid, parentUuid, sessionId: SESSION, message, ...more },
});
const user = (uuid: string, parent: string | null, content: unknown, more: object = {}) =>
  line("user", uuid, parent, { role: "user", content }, more);
const call = (uuid: string, parent: string | null, id: string, tool: string) =>
  line("assistant", uuid, parent, {
    id,
    role: "assistant",
    content: [{ type: "tool_use", id: tool, name: "Bash", input: {} }],
  });
const say = (uuid: string, parent: string | null, id: string, text: string) =>
  line("assistant", uuid, parent, { id, role: "assistant", content: [{ type: "text", text }] });
const result = (uuid: string, parent: string, tool: string, more: object = {}) =>
  user(uuid, parent, [{ type: "tool_result", tool_use_id: tool, content: "done" }], more);
const note = (uuid: string, parent: string) => ({
  ...{ type: "progress", uuid, parentUuid: parent, sessionId: SESSION },
});

function open(sink: RecordingSink, state?: Json) {
  return claudeCode.lines.open(sink, surroundings("session.jsonl"), state);
}

function read(records: readonly object[]): RecordingSink {
  const sink = new RecordingSink();
  const reader = open(sink);
  readLines(reader, records.map((record) => JSON.stringify(record)).join("\n"));
  reader.end(true);
  return sink;
}

const chain = (sink: RecordingSink) =>
  sink.conversations[0]?.entries.map(({ id, parent }) => `${id} < ${parent}`) ?? [];

describe("an answer that was written in several lines", () => {
  const sink = new RecordingSink();
  const reader = open(sink);
  readLines(reader, readFileSync("test/fixtures/claude-code/parallel-tool-results.jsonl", "utf8"));
  reader.end(true);
  const entries = sink.conversations[0]?.entries ?? [];

  it("becomes one message, even when results are between its lines", () => {
    expect(entries[1]).toMatchObject({ id: "l1", parent: "u1", aliases: ["l2", "l3", "l4", "l5"] });
    const blocks = entries[1]?.message?.content as { type: string; id?: string }[];
    expect(blocks.map(({ type, id }) => id ?? type)).toEqual([
      ...["thinking", "text", "toolu_1", "toolu_2", "toolu_3"],
    ]);
    expect(entries[1]?.records.map(({ line: number }) => number)).toEqual([2, 3, 4, 6, 7]);
  });

  it("has the largest count of its lines, not their sum", () => {
    expect(entries[1]?.message).toMatchObject({
      usage: {
        ...{ input_tokens: 4, output_tokens: 33 },
        ...{ cache_creation_input_tokens: 120, cache_read_input_tokens: 900 },
      },
      ...{ stopReason: "tool_use", model: "claude-sonnet-4-5" },
    });
  });

  it("is followed by its results one after the other, and an entry that names one follows the last", () => {
    expect(chain(sink)).toEqual([
      ...["u1 < null", "l1 < u1", "r1 < l1", "r3 < r1", "r2 < r3", "l6 < r2", "u2 < l6"],
    ]);
  });
});

describe("results", () => {
  it("belong to their call by its id when their parent was never written", () => {
    const sink = read([call("a", null, "m", "t1"), result("r", "phantom", "t1")]);
    expect(chain(sink)).toEqual(["a < null", "r < a"]);
  });

  it("belong to the line that they name as their source", () => {
    const lost = result("r", "phantom", "lost", { sourceToolAssistantUUID: "a" });
    expect(chain(read([call("a", null, "m", "t1"), lost]))).toEqual(["a < null", "r < a"]);
  });

  it("follow one another also when each names the one before", () => {
    const sink = read([
      call("a", null, "m", "t1"),
      ...[call("b", "a", "m", "t2"), result("r1", "a", "t1"), result("r2", "r1", "t2")],
      say("c", "r2", "n", "Done"),
    ]);
    expect(chain(sink)).toEqual(["a < null", "r1 < a", "r2 < r1", "c < r2"]);
  });

  it("stay in the chain when they come after something else", () => {
    const sink = read([
      ...[call("a", null, "m", "t1"), call("b", "a", "m", "t2"), result("r1", "a", "t1")],
      user("x", "r1", "Meanwhile"),
      result("r2", "b", "t2"),
      say("c", "r2", "n", "Done"),
    ]);
    expect(chain(sink)).toEqual(["a < null", "r1 < a", "x < r1", "r2 < r1", "c < r2"]);
  });

  it("are not parted from their message by notes", () => {
    const sink = read([
      ...[call("a", null, "m", "t1"), note("p1", "a"), call("b", "a", "m", "t2"), note("p2", "p1")],
      ...[result("r2", "p2", "t2"), note("p3", "r2"), result("r1", "a", "t1")],
      say("c", "p3", "n", "Done"),
    ]);
    expect(chain(sink)).toEqual(["a < null", "r2 < a", "r1 < r2", "c < r1"]);
    expect(sink.conversations[0]?.notes).toHaveLength(3);
  });
});

describe("a line of the same answer", () => {
  it("is a separate message when the answer was already added", () => {
    const sink = read([...[say("a", null, "m", "One"), user("u", "a", "Wait"), say("b", "a", "m", "Two")]]);
    expect(chain(sink)).toEqual(["a < null", "u < a", "b < a"]);
    expect(sink.lines()).toEqual(["assistant: One", "user: Wait", "assistant: Two"]);
  });

  it("is not part of it when it is repeated", () => {
    const sink = read([say("a", null, "m", "One"), say("a", null, "m", "One")]);
    expect(sink.lines()).toEqual(["assistant: One", "assistant: One"]);
  });

  it("is none without an id of the API", () => {
    const plain = (uuid: string, parent: string | null) =>
      line("assistant", uuid, parent, { role: "assistant", content: "Hi" });
    expect(chain(read([plain("a", null), plain("b", "a")]))).toEqual(["a < null", "b < a"]);
  });

  it("represents the whole message as a parent", () => {
    const sink = read([
      ...[
        say("a", null, "m", "One"),
        say("b", "a", "m", "Two"),
        user("u", "b", "Go on"),
        user("v", "a", "Edit"),
      ],
    ]);
    expect(chain(sink)).toEqual(["a < null", "u < a", "v < a"]);
  });
});

describe("held records", () => {
  const records = [
    ...[
      user("u", null, "Start"),
      call("a", "u", "m", "t1"),
      result("r1", "a", "t1"),
      call("b", "a", "m", "t2"),
    ],
    ...[note("p", "b"), result("r2", "p", "t2"), say("c", "r1", "n", "Done"), user("v", "r1", "Next")],
  ];

  it.each(records.map((_, index) => [index + 1]))("continues after %i records", (count) => {
    const sink = new RecordingSink();
    const first = open(sink);
    const feedOne = (reader: ReturnType<typeof open>, from: number, to?: number) =>
      readLines(
        reader,
        records
          .slice(from, to)
          .map((record) => JSON.stringify(record))
          .join("\n"),
        from + 1,
      );
    feedOne(first, 0, count);
    first.end(false);
    const state = JSON.parse(JSON.stringify(first.state())) as Json;
    const second = open(sink, state);
    feedOne(second, count);
    second.end(true);
    expect(sink.conversations).toHaveLength(1);
    expect(sink.conversations[0]?.entries).toEqual(withoutOffsets(read(records)));
    expect(chain(sink)).toEqual(["u < null", "a < u", "r1 < a", "r2 < r1", "c < r2", "v < r2"]);

    function withoutOffsets(whole: RecordingSink) {
      return whole.conversations[0]?.entries.map((entry) => ({
        ...entry,
        records: entry.records.map((record) => ({ ...record, offset: expect.any(Number) })),
      }));
    }
  });

  it("is added at the end only when nothing more will come", () => {
    const sink = new RecordingSink();
    const reader = open(sink);
    readLines(reader, JSON.stringify(say("a", null, "m", "One")));
    reader.end(false);
    expect(sink.conversations[0]?.entries).toEqual([]);
    reader.end(true);
    expect(sink.lines()).toEqual(["assistant: One"]);
  });

  it("stays small however long the file", () => {
    const reader = open(new RecordingSink());
    const id = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    for (let index = 0; index < 30_000; index += 2) {
      const parent = index === 0 ? null : id(index - 1);
      const value = user(id(index), parent, "x") as unknown as Json;
      reader.record({ value, line: index, offset: index });
      reader.record({ value: note(id(index + 1), id(index)), line: index + 1, offset: index + 1 });
    }
    reader.end(false);
    const size = JSON.stringify(reader.state()).length;
    expect(size).toBeGreaterThan(2_000);
    expect(size).toBeLessThan(200_000);
  });

  it("leaves room for a long answer by remembering fewer records", () => {
    const reader = open(new RecordingSink());
    const id = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    for (let index = 0; index < 4_000; index += 2) {
      const value = user(id(index), index === 0 ? null : id(index - 1), "x") as unknown as Json;
      reader.record({ value, line: index, offset: index });
      reader.record({ value: note(id(index + 1), id(index)), line: index + 1, offset: index + 1 });
    }
    const answer = say("a", id(3_999), "m", "x".repeat(150_000)) as unknown as Json;
    reader.record({ value: answer, line: 4_001, offset: 4_001 });
    reader.end(false);
    const sink = new RecordingSink();
    const second = open(sink, reader.state());
    second.end(true);
    expect(sink.conversations[0]?.entries).toMatchObject([{ id: "a", parent: id(3_998) }]);
  });

  it("is read again from the beginning when it is too large to be carried along", () => {
    const reader = open(new RecordingSink());
    readLines(reader, JSON.stringify(say("a", null, "m", "x".repeat(300_000))));
    reader.end(false);
    expect(reader.state()).toBeUndefined();
  });
});
