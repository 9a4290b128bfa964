import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type Recorded,
  RecordingSink,
  readFile,
  readLines,
  recordsIn,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import { goclaw } from "./index.ts";

const fixture = (name: string): string => readFileSync(`test/fixtures/goclaw/${name}`, "utf8");

function read(text: string): RecordingSink {
  return readFile(goclaw.lines, text, "sessions/telegram_42.jsonl");
}

describe("goclaw", () => {
  it("is distinguished from version 2 by the version, not by the type of the first line", () => {
    for (const name of ["v1-with-metadata-line.jsonl", "v1-without-metadata-line.jsonl"]) {
      expect(goclaw.lines.sniff(recordsIn(fixture(name)), "x.jsonl")).toBe(true);
    }
    expect(goclaw.lines.sniff([{ _type: "metadata", version: 2 }], "x.jsonl")).toBe(false);
    expect(
      goclaw.lines.sniff(
        [{ role: "user", content: "x", timestamp: "y", id: "a", parent_id: null }],
        "x.jsonl",
      ),
    ).toBe(false);
    expect(goclaw.lines.sniff([{ role: "user", content: "x", ts: "y" }], "x.jsonl")).toBe(false);
    expect(goclaw.lines.sniff([], "x.jsonl")).toBe(false);
  });

  it("reads calls, results, media and times", () => {
    const sink = read(fixture("v1-with-metadata-line.jsonl"));
    const [{ start, entries, notes }] = sink.conversations as [Recorded];
    expect(start).toMatchObject({
      createdAt: Date.parse("2026-02-01T09:00:00.123Z"),
      about: { channel: "telegram" },
    });
    expect(start.sourceId).toMatch(/^telegram_42-[0-9a-f]{12}$/);
    expect(notes).toHaveLength(1);
    expect(entries.map(({ parent }) => parent)).toEqual(entries.map(() => undefined));
    expect(entries[0]?.at).toBe(Date.parse("2026-02-01T09:00:00.123Z"));
    expect(entries[1]?.message?.content).toEqual([
      { type: "tool_use", id: "call_1", name: "weather", input: { city: "Bergen" } },
      { type: "tool_use", id: "call_2", name: "tide", input: {}, arguments: "not json" },
    ]);
    expect(entries[2]?.message).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "call_1", content: "4 degrees" }],
    });
    expect(entries[5]?.message?.content).toEqual([
      { type: "text", text: "And this?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      { type: "image", source: { type: "url", url: "https://example.org/fjord.jpg" } },
    ]);
  });

  it("keeps every word and record, also the odd ones", () => {
    const sink = read(fixture("v1-without-metadata-line.jsonl"));
    const [{ entries, notes }] = sink.conversations as [Recorded];
    expect(entries[0]?.message?.content).toBe("  Hello, with spaces  ");
    expect(entries[1]?.at).toBe(1_769_936_401_000);
    const call = (entries[2]?.message?.content as unknown as { id: string }[] | undefined)?.[0];
    expect(entries[3]?.message?.content).toEqual([
      { type: "tool_result", tool_use_id: call?.id, content: "nine", paired: "order" },
    ]);
    expect(entries[4]?.message).toEqual({
      role: "user",
      content: "Time passes.",
      extra: { goclaw: { role: "narrator" } },
    });
    expect(entries[5]).toMatchObject({ at: undefined, message: { role: "assistant", content: "" } });
    expect(notes).toHaveLength(1);
    expect(sink.unknowns).toEqual(["role narrator", "counter"]);
  });

  it("continues where it stopped, with the same ids", () => {
    const lines = fixture("v1-without-metadata-line.jsonl").trimEnd().split("\n");
    const whole = read(lines.join("\n")).conversations[0]?.entries;
    for (let cut = 1; cut < lines.length; cut++) {
      const sink = new RecordingSink();
      const first = goclaw.lines.open(sink, surroundings("sessions/telegram_42.jsonl"), undefined);
      readLines(first, lines.slice(0, cut).join("\n"));
      first.end(false);
      const second = goclaw.lines.open(sink, surroundings("sessions/telegram_42.jsonl"), first.state());
      readLines(second, lines.slice(cut).join("\n"));
      second.end(true);
      expect(sink.conversations).toHaveLength(1);
      expect(sink.conversations[0]?.entries.map(({ id, message }) => [id, message])).toEqual(
        whole?.map(({ id, message }) => [id, message]),
      );
    }
  });
});
