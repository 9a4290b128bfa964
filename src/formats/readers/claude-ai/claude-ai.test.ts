import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  type RecordingSink,
  readValues,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import type { JsonObject } from "../../../util/json.ts";
import { objectsIn } from "../../../util/values.ts";
import { claudeAi } from "./index.ts";

function fixture(name: string): JsonObject[] {
  return JSON.parse(readFileSync(`test/fixtures/claude-ai/${name}`, "utf8"));
}

function read(
  values: readonly unknown[],
  files: Readonly<Record<string, string>> = {},
): Promise<RecordingSink> {
  return readValues(claudeAi.document, values, surroundings("conversations.json", files));
}

function entry(sink: RecordingSink, id: string, index = 0) {
  return sink.conversations[index]?.entries.find((found) => found.id === id);
}

test("An answer that used tools becomes a chain of messages, and what follows it follows the last one", async () => {
  const sink = await read(fixture("tools-inside-answers.json"));
  const [weather] = sink.conversations;
  expect(weather?.entries.map(({ id, parent, message }) => `${message?.role} ${id}<${parent}`)).toEqual([
    "user h1<null",
    "assistant a1<h1",
    "user a1/results-1<a1",
    "assistant a1/2<a1/results-1",
    "user a1/results-2<a1/2",
    "assistant a1/3<a1/results-2",
    "user h2<a1/3",
    "user h2b<a1/3",
  ]);
  expect(weather?.leaf).toBe("h2");
});

test("Blocks are cleaned of what only the page needs", async () => {
  const sink = await read(fixture("tools-inside-answers.json"));
  expect(entry(sink, "h1")?.message?.content).toEqual([{ type: "text", text: "Will it rain?" }]);
  expect(entry(sink, "a1")?.message?.content).toEqual([
    { type: "thinking", thinking: "I need the forecast.", summaries: [{ summary: "Looking up" }] },
    { type: "text", text: "Let me look.", citations: [{ uuid: "cite-1", url: "https://example.org" }] },
    { type: "tool_use", id: "toolu_1", name: "forecast", input: { place: "here" } },
    { type: "tool_use", id: "toolu_2", name: "radar", input: {} },
  ]);
  expect(entry(sink, "a1/results-1")?.message?.content).toEqual([
    {
      type: "tool_result",
      tool_use_id: "toolu_1",
      content: [{ type: "text", text: "rain", uuid: "part-1" }],
    },
    { type: "tool_result", tool_use_id: "toolu_2", content: "no signal", is_error: true },
  ]);
});

test("A call without an id receives one, and its result is paired by order", async () => {
  const sink = await read(fixture("tools-inside-answers.json"));
  const call = entry(sink, "a1/2")?.message?.content[1] as JsonObject;
  expect(call).toMatchObject({ type: "tool_use", name: "clock", input: { zone: "UTC" } });
  expect(entry(sink, "a1/results-2")?.message?.content).toEqual([
    { type: "tool_result", tool_use_id: call.id, paired: "order" },
  ]);
});

test("Blocks that are only kept stay whole, and unknown ones are reported", async () => {
  const sink = await read(fixture("tools-inside-answers.json"));
  expect(entry(sink, "a1/3")?.message?.content).toEqual([
    { type: "token_budget" },
    { type: "voice_note", title: "Umbrella", text: "Take one." },
    { type: "sparkle", colour: "blue" },
  ]);
  expect(sink.unknowns).toEqual(["block sparkle"]);
});

test("The parts of an answer are kept with their own blocks of the record, and together they are all of it", async () => {
  const values = fixture("tools-inside-answers.json");
  const sink = await read(values);
  const parts = sink.conversations[0]?.entries.filter(({ id }) => id.startsWith("a1")) ?? [];
  const records = parts.map(({ records: [record] }) => record?.value as JsonObject);
  const content = objectsIn(objectsIn(values[0]?.chat_messages)[1]?.content);
  expect(records.flatMap((record) => record.content)).toEqual(content);
  expect(records[0]).toMatchObject({ uuid: "a1", text: "fallback text" });
  expect(records[1]).toEqual({ uuid: "a1", content: content.slice(4, 6) });
});

test("A conversation has its title and times to the millisecond, also when it has no messages", async () => {
  const sink = await read(fixture("tools-inside-answers.json"));
  expect(sink.conversations[0]?.start).toMatchObject({
    sourceId: "conv-1",
    title: "Weather",
    createdAt: Date.UTC(2025, 1, 1, 9, 0, 0, 123),
  });
  expect(entry(sink, "h1")?.at).toBe(Date.UTC(2025, 1, 1, 9, 0, 1, 500));
  expect(sink.conversations[1]?.start).toMatchObject({ sourceId: "conv-2", title: undefined });
  expect(sink.conversations[1]?.notes).toHaveLength(1);
});

test("The text beside the blocks is used only where there are none", async () => {
  const sink = await read(fixture("tools-inside-answers.json"));
  expect(entry(sink, "h2")?.message?.content).toBe("Thanks");
  expect(JSON.stringify(entry(sink, "a1")?.message)).not.toContain("fallback");
});

test("Without parents the messages follow one another", async () => {
  const sink = await read(fixture("attachments-and-lines.json"));
  const [old] = sink.conversations;
  const ids = old?.entries.map(({ id }) => id) ?? [];
  expect(old?.entries.map(({ parent }) => parent)).toEqual([null, ...ids.slice(0, 3)]);
  expect(ids[2]).toMatch(/^[0-9a-f]{32}$/);
  expect(old?.entries[2]?.flags).toEqual(["cut-off"]);
  expect(sink.unknowns).toEqual(["sender robot"]);
  expect(old?.entries[3]?.message).toMatchObject({ role: "user", content: "Beep" });
  expect(old?.notes[0]?.value).toMatchObject({ chat_messages: [null] });
});

test("Attached text is a document, and files that the export lacks are marked", async () => {
  const sink = await read(fixture("attachments-and-lines.json"), { "files/f-2.pdf": "pdf" });
  expect(entry(sink, "q1")?.message?.content).toEqual([
    {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "Pasted words" },
      title: "paste.txt",
    },
    { type: "image", source: { type: "asset", name: "f-1" }, title: "leaf.png", missing: true },
    {
      type: "document",
      source: { type: "file", name: "files/f-2.pdf", media_type: "application/pdf" },
      title: "report.pdf",
    },
  ]);
  expect(sink.unresolvedReferences).toEqual(["f-1"]);
});

test("The leaf is the message that the web page shows, if the source names it; an orphan is kept", async () => {
  const sink = await read(fixture("attachments-and-lines.json"));
  expect(sink.conversations[1]?.leaf).toBe("w2");
  expect(sink.conversations[1]?.entries.map(({ id, parent }) => `${id}<${parent}`)).toEqual([
    "w1<null",
    "w2<w1",
    "w3<w1",
    "w4<gone",
  ]);
  expect(sink.conversations[1]?.start.model).toBe("claude-sonnet-4-5");
  expect(entry(sink, "w2", 1)?.message?.stopReason).toBe("stop_sequence");
});

test("Accounts and projects are known and hold no conversation", async () => {
  for (const name of ["users.json", "projects.json"]) {
    const values = fixture(name);
    expect(claudeAi.document.sniff(values[0] ?? {})).toBe(true);
    const sink = await read(values);
    expect([sink.conversations, sink.skipped]).toEqual([[], []]);
  }
  expect(claudeAi.document.sniff({ uuid: "x", name: "y" })).toBe(false);
  expect((await read([{ other: 1 }])).skipped).toHaveLength(1);
});
