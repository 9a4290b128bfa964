import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type Recorded,
  RecordingSink,
  readFile,
  recordsIn,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import { encodeHeader, sealObject } from "../../../transcript/lines.ts";
import { FoundBefore } from "../../import/forks/found-before.ts";
import { colloquy } from "./index.ts";

function read(text: string, path = "sessions/garden.jsonl"): RecordingSink {
  return readFile(colloquy.lines, text, path);
}

const fixture = (name: string): string => readFileSync(`test/fixtures/colloquy/${name}`, "utf8");

describe("JSONL of version 2", () => {
  it("is read when another program wrote it, with its branches and calls", () => {
    const text = fixture("v2-of-another-program.jsonl");
    expect(colloquy.lines.sniff(recordsIn(text), "x.jsonl")).toBe(true);
    const sink = read(text);
    const [{ start, entries, notes }] = sink.conversations as [Recorded];
    expect(start.sourceId).toMatch(/^garden-[0-9a-f]{12}$/);
    expect(entries.map(({ id, parent }) => [id, parent])).toEqual([
      ["msg-1", null],
      ["msg-2", "msg-1"],
      ["msg-3", "msg-1"],
      ["msg-4", "msg-3"],
      ["msg-5", "msg-4"],
    ]);
    expect(entries[3]?.message?.content).toEqual([
      { type: "tool_use", id: "c1", name: "shop", input: { what: "seeds" } },
    ]);
    expect(entries[4]?.message).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "c1", content: "bought" }],
    });
    expect(notes).toHaveLength(1);
  });

  it("may begin with lines of version 1, which get ids that stay the same", () => {
    const text = fixture("v1-lines-that-go-on-as-v2.jsonl");
    expect(colloquy.lines.sniff(recordsIn(text), "x.jsonl")).toBe(true);
    const [{ entries, notes }] = read(text).conversations as [Recorded];
    expect(entries.map(({ parent }) => parent)).toEqual([undefined, undefined, "unknown-parent"]);
    expect(entries[0]?.id).toMatch(/^[0-9a-f]{32}$/);
    expect(read(text).conversations[0]?.entries).toEqual(entries);
    expect(notes).toHaveLength(1);
  });

  it("skips lines whose checksum is missing or does not match, if the first line announces one", () => {
    const header = encodeHeader({
      id: "c-1",
      key: null,
      createdAt: "2026-01-01T00:00:00.000Z",
      generation: 1,
    });
    const good = sealObject({
      role: "user",
      content: "Good",
      timestamp: "2026-01-01T00:00:00.000Z",
      id: "g",
      parent_id: null,
      seq: 1,
    });
    const text = `${header}${good}${String(good).replace("Good", "Goof")}{"role":"user","content":"Bare","id":"x"}\n`;
    const sink = read(text);
    expect(sink.lines()).toEqual(["user: Good"]);
    expect(sink.skipped).toEqual([
      { line: 3, reason: "checksum does not match" },
      { line: 4, reason: "no checksum" },
    ]);
  });

  it("survives lines that are nothing of the kind", () => {
    const odd = [
      "1",
      "null",
      "[]",
      '"x"',
      "{}",
      '{"_type":5}',
      '{"role":7,"content":{},"id":4,"seq":"x"}',
      '{"_type":"info","data":null,"id":"i","seq":1,"branch":-1}',
      '{"_type":"future","data":[1],"id":"f","seq":2}',
    ];
    const sink = read(`{"_type":"metadata","version":2}\n${odd.join("\n")}\n`);
    const [{ entries, notes }] = sink.conversations as [Recorded];
    expect(sink.skipped).toHaveLength(4);
    expect(entries.map(({ kind, data }) => [kind, data])).toEqual([
      [undefined, undefined],
      ["info", { value: null }],
      ["custom", { kind: "future", data: [1] }],
    ]);
    expect(notes.length + entries.length + sink.skipped.length).toBe(odd.length + 1);
    expect(sink.unknowns).toContain("future");
  });
});

describe("the JSON document", () => {
  it("is recognized by its first property, and survives missing ones", async () => {
    expect(colloquy.document.sniff({ colloquy: 1, entries: [] })).toBe(true);
    expect(colloquy.document.sniff({ entries: [] })).toBe(false);
    const sink = new RecordingSink();
    const give = (value: object) =>
      colloquy.document.read(
        { value: value as never, line: null, offset: null },
        sink,
        surroundings("x.json"),
        new FoundBefore(),
      );
    await give({ colloquy: 1, entries: [] });
    await give({
      colloquy: 2,
      info: { id: "c" },
      entries: [null, { kind: "message" }, { id: "a", message: { role: "user", content: "A" } }],
    });
    expect(sink.skipped).toHaveLength(1);
    expect(sink.unknowns).toEqual(["version 2"]);
    expect(sink.lines()).toEqual(["user: A"]);
    expect(sink.conversations[0]?.notes).toHaveLength(2);
  });
});
