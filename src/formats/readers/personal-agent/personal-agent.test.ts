import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type Recorded,
  RecordingSink,
  readLines,
  recordsIn,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import { FoundBefore } from "../../import/forks/found-before.ts";
import { personalAgent } from "./index.ts";

const fixture = (name: string): string => readFileSync(`test/fixtures/personal-agent/${name}`, "utf8");
const LINES = "20250121193000001.jsonl";

describe("PersonalAgent", () => {
  it("reads thinking, and calls with their results as two messages", () => {
    const text = fixture(LINES);
    expect(personalAgent.lines.sniff(recordsIn(text), "x.jsonl")).toBe(true);
    const sink = new RecordingSink();
    const reader = personalAgent.lines.open(sink, surroundings(`conversations/${LINES}`), undefined);
    readLines(reader, text);
    reader.end(true);
    const [{ start, entries }] = sink.conversations as [Recorded];
    expect(start.sourceId).toBe("20250121193000001");
    expect(entries.map(({ message }) => message)).toEqual([
      { role: "user", content: "What is Rust?" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Let me explain." },
          { type: "text", text: "A language." },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "c1", name: "search", input: { q: "rust" } },
          { type: "tool_use", id: "c2", name: "echo", input: { value: [1] }, arguments: "[1]" },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "found" },
          { type: "tool_result", tool_use_id: "c2", content: '{"ok":true}' },
        ],
      },
      { role: "user", content: "Tell me more" },
    ]);
    expect(entries[0]?.at).toBe(Date.parse("2025-01-21T19:30:00Z"));
    expect(entries[3]?.parent).toBe(entries[2]?.id);
    expect(reader.state()).toEqual({ sourceId: "20250121193000001", position: 4, waiting: [] });
  });

  it("reads the metadata beside the messages", () => {
    expect(personalAgent.sideFile?.names(`a/${LINES}`)).toEqual(["20250121193000001.meta.json"]);
    const described = (text: string) => personalAgent.sideFile?.read(text)({ sourceId: "x" });
    expect(described(fixture("20250121193000001.meta.json"))).toMatchObject({
      sourceId: "x",
      title: "Rust",
      createdAt: Date.parse("2025-01-21T19:30:00Z"),
      profileId: "p1",
      contextState: { strategy: "sandwich" },
    });
    expect(described("{ damaged")).toEqual({ sourceId: "x" });
  });

  it("reads the later file, with tools as texts", async () => {
    const value = JSON.parse(fixture("one-file-with-tools-as-text.json"));
    expect(personalAgent.document.sniff(value)).toBe(true);
    expect(personalAgent.document.sniff({ messages: [{ role: "user", content: "x" }] })).toBe(false);
    expect(personalAgent.document.sniff({ chat_messages: [] })).toBe(false);
    const sink = new RecordingSink();
    await personalAgent.document.read(
      { value, line: null, offset: null },
      sink,
      surroundings("later.json"),
      new FoundBefore(),
    );
    const [{ start, entries, notes }] = sink.conversations as [Recorded];
    expect(start).toMatchObject({ sourceId: "0b0c0d0e-0000-4000-8000-000000000001", title: "Later" });
    expect(entries[1]?.message).toEqual({
      role: "assistant",
      model: "claude-sonnet-4",
      content: [
        { type: "thinking", thinking: "Where?" },
        { type: "text", text: "I did." },
        { type: "tool_use", id: "t1", name: "look", input: { at: 1 } },
      ],
    });
    expect(entries[2]?.message?.content).toEqual([
      { type: "tool_result", tool_use_id: "t1", content: "seen", is_error: true },
    ]);
    expect(notes.map(({ value: note }) => typeof note)).toEqual(["object", "string"]);
  });
});
