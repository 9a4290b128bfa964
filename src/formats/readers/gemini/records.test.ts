import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RecordingSink, readFile, surroundings } from "../../../../test/support/samples/recording-sink.ts";
import { checkMessage } from "../../../message/validate.ts";
import { gemini } from "./index.ts";

const FOLDER = "test/fixtures/gemini";
const fixtures = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".jsonl"),
);

it.each(fixtures)("%s loses no line and adds only what the store accepts", (name) => {
  const text = readFileSync(`${FOLDER}/${name}`, "utf8");
  const sink = readFile(gemini.lines, text, name);
  const entries = sink.conversations.flatMap((conversation) => conversation.entries);
  const kept = [...entries.flatMap(({ records }) => records), ...(sink.conversations[0]?.notes ?? [])];
  expect(new Set(kept.map(({ line }) => line)).size).toBe(text.trim().split("\n").length);
  for (const { id, message, records } of entries) {
    expect(records).not.toHaveLength(0);
    if (message !== undefined && message.content.length > 0) checkMessage({ ...message, id });
  }
});

describe("a recording of more than is held in memory", () => {
  it("adds the oldest messages before the end, in their order", () => {
    const sink = new RecordingSink();
    const reader = gemini.lines.open(sink, surroundings("x.jsonl"), undefined);
    reader.record({ value: { sessionId: "s", projectHash: "h" }, line: 1, offset: 0 });
    for (let index = 0; index < 12; index++) {
      const value = { id: `m${index}`, type: "user", content: "x".repeat(1_000_000) };
      reader.record({ value, line: index + 2, offset: 0 });
    }
    const early = sink.conversations[0]?.entries.length ?? 0;
    expect(early).toBeGreaterThan(3);
    expect(early).toBeLessThan(12);
    reader.end(true);
    expect(sink.conversations[0]?.entries.map(({ parent }) => parent)).toEqual([
      ...[null, "m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "m10"],
    ]);
  });
});
