import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type Recorded,
  RecordingSink,
  readLines,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import { komatachi } from "./index.ts";

const text = readFileSync("test/fixtures/komatachi/kitchen/transcript.jsonl", "utf8");
const records = text
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));

describe("Komatachi", () => {
  it("is known by Anthropic's blocks without times, and by its file name", () => {
    expect(komatachi.lines.sniff(records, "x.jsonl")).toBe(true);
    expect(
      komatachi.lines.sniff(
        records.filter(({ content }) => typeof content === "string"),
        "x.jsonl",
      ),
    ).toBe(false);
    expect(komatachi.lines.sniff([{ role: "user", content: [{ type: "text", text: "x" }] }], "x.jsonl")).toBe(
      false,
    );
    expect(
      komatachi.lines.sniff(
        records.map((record) => ({ ...record, timestamp: "x" })),
        "x.jsonl",
      ),
    ).toBe(false);
    const plain = [{ role: "user", content: "x" }];
    expect(komatachi.lines.sniff(plain, "home/kitchen/transcript.jsonl")).toBe(true);
    expect(komatachi.lines.sniff(plain, "home/my-transcript.jsonl")).toBe(false);
  });

  it("reads the messages unchanged, under the name of the folder", () => {
    const sink = new RecordingSink();
    const reader = komatachi.lines.open(sink, surroundings("home/kitchen/transcript.jsonl"), undefined);
    readLines(reader, text);
    reader.end(true);
    const [{ start, entries }] = sink.conversations as [Recorded];
    expect(start.sourceId).toMatch(/^kitchen-[0-9a-f]{12}$/);
    expect(entries.map(({ message }) => message)).toEqual(records);
    expect(entries.every(({ at }) => at === undefined)).toBe(true);
    const again = komatachi.lines.open(sink, surroundings("home/kitchen/transcript.jsonl"), reader.state());
    readLines(again, '{"role":"user","content":"Thanks"}');
    expect(new Set(entries.map(({ id }) => id)).size).toBe(5);
  });

  it("reads the metadata beside it", () => {
    const meta = readFileSync("test/fixtures/komatachi/kitchen/metadata.json", "utf8");
    expect(komatachi.sideFile?.names("kitchen/transcript.jsonl")).toEqual(["metadata.json"]);
    expect(komatachi.sideFile?.read(meta)({ sourceId: "x" })).toEqual({
      sourceId: "x",
      model: "claude-opus-4",
      createdAt: 1_767_225_600_000,
      about: { compactionCount: 2, updatedAt: 1_767_225_700_000 },
    });
    expect(komatachi.sideFile?.read("")({ sourceId: "x" })).toEqual({ sourceId: "x" });
  });
});
