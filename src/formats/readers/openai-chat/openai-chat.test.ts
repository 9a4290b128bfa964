import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  RecordingSink,
  readFile,
  readLines,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import { toOpenAI } from "../../../message/apis/openai.ts";
import type { Message } from "../../../message/types.ts";
import type { JsonObject } from "../../../util/json.ts";
import { FoundBefore } from "../../import/forks/found-before.ts";
import { openaiChat } from "./index.ts";

function fixture(name: string): string {
  return readFileSync(`test/fixtures/openai-chat/${name}`, "utf8");
}

function records(text: string): JsonObject[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function readText(text: string, path = "chat.jsonl"): RecordingSink {
  return readFile(openaiChat.lines, text, path);
}

async function readDocument(
  values: readonly unknown[],
  offset: number,
  path = "chat.json",
): Promise<RecordingSink> {
  const sink = new RecordingSink();
  for (const [index, value] of values.entries()) {
    const record = { value: value as JsonObject, line: null, offset: offset + index * 10 };
    await openaiChat.document.read(record, sink, surroundings(path), new FoundBefore());
  }
  return sink;
}

function message(sink: RecordingSink, conversation: number, index: number): Message {
  return sink.conversations[conversation]?.entries[index]?.message as Message;
}

test("Lines that differ in anything are different conversations, and copies of one are the same", () => {
  const line = (more: object, ...messages: unknown[]): string =>
    JSON.stringify({ ...more, messages: [{ role: "user", content: "Hello" }, ...messages] });
  const idsOf = (...lines: string[]): unknown[] =>
    readText(lines.join("\n")).conversations.map(({ start }) => start.sourceId);
  const odd = [line({}), line({ model: "m" }), line({}, "a text"), line({}, "another text"), line({}, 1)];
  expect(new Set(idsOf(...odd)).size).toBe(odd.length);
  expect(idsOf(line({}))).toEqual(idsOf(line({})));
});

test("Each line with messages is a conversation", () => {
  const sink = readText(fixture("fine-tune.jsonl"));
  expect(sink.conversations).toHaveLength(3);
  expect(sink.conversations[2]?.start.sourceId).toBe("given-id");
  expect(sink.lines(0)).toEqual([
    "system: You are a gardener.",
    "user: Beans?",
    "assistant: Yes.",
    "user: Beans?",
    "assistant: Still yes.",
  ]);
  expect(sink.skipped).toEqual([{ line: 4, reason: "neither a message nor a conversation" }]);
});

test("A line without an id is the same conversation in every import, wherever it is", () => {
  const lines = fixture("fine-tune.jsonl").split("\n");
  const [once, again] = [
    readText(fixture("fine-tune.jsonl")),
    readText([lines[1], lines[0]].join("\n"), "other.jsonl"),
  ];
  const ids = (sink: RecordingSink) => sink.conversations.map(({ start }) => start.sourceId);
  expect(ids(again)).toEqual([ids(once)[1], ids(once)[0]]);
  expect(again.conversations[1]?.entries).toMatchObject(
    (once.conversations[0]?.entries ?? []).map(({ id, parent }) => ({ id, parent })),
  );
});

test("Messages with the same content have different ids", () => {
  const [first] = readText(fixture("fine-tune.jsonl")).conversations;
  expect(first?.entries[1]?.id).not.toBe(first?.entries[3]?.id);
  expect(first?.entries[1]?.message).toEqual(first?.entries[3]?.message);
});

test("Weights, names and the role of a developer stay beside the message", () => {
  const sink = readText(fixture("fine-tune.jsonl"));
  expect(message(sink, 0, 2).extra).toEqual({ openai: { weight: 0 } });
  expect(message(sink, 1, 0)).toMatchObject({ role: "system", extra: { openai: { role: "developer" } } });
  expect(message(sink, 1, 1).extra).toEqual({ openai: { name: "rosa" } });
});

test("Other properties of a line are noted", () => {
  const sink = readText(fixture("fine-tune.jsonl"));
  expect(sink.conversations[0]?.notes).toEqual([]);
  expect(sink.conversations[1]?.notes[0]?.value).toMatchObject({
    parallel_tool_calls: true,
    tools: [{ type: "function" }],
  });
});

test("Calls keep their ids, broken arguments stay text, and arguments that are not objects become a value", () => {
  const sink = readText(fixture("fine-tune.jsonl"));
  const [one, two, three] = message(sink, 1, 2).content as readonly JsonObject[];
  expect(one).toMatchObject({ type: "tool_use", id: "call_a", name: "rain", input: { days: 2 } });
  expect(two).toMatchObject({ id: "call_b", input: {}, arguments: "{broken" });
  expect(three).toMatchObject({ name: "tap", input: { value: [1, 2] }, arguments: "[1, 2]" });
  expect(message(sink, 1, 3).content).toEqual([
    { type: "tool_result", tool_use_id: "call_a", content: "dry" },
  ]);
  expect(message(sink, 1, 4).content).toMatchObject([
    { tool_use_id: "call_b", content: [{ type: "text", text: "wet" }] },
  ]);
  expect(message(sink, 1, 5).content).toMatchObject([
    { tool_use_id: three?.id, paired: "order", content: "open" },
  ]);
  expect(message(sink, 1, 6).content).toEqual([{ type: "refusal", refusal: "I will not water." }]);
});

test("Legacy function calls get ids, and each result answers its call", () => {
  const sink = readText(fixture("fine-tune.jsonl"));
  const ids = [1, 3].map((index) => (message(sink, 2, index).content[0] as JsonObject).id);
  expect(ids[0]).not.toBe(ids[1]);
  expect(message(sink, 2, 1).content).toMatchObject([{ type: "tool_use", name: "see", input: { x: 1 } }]);
  expect(message(sink, 2, 2).content).toMatchObject([
    { tool_use_id: ids[0], paired: "order", content: "a leaf" },
  ]);
  expect(message(sink, 2, 4).content).toMatchObject([
    { tool_use_id: ids[1], paired: "order", content: "a stem" },
  ]);
});

test("A picture in a data URL is a picture, and an unknown role is kept as one", () => {
  const sink = readText(fixture("fine-tune.jsonl"));
  expect(message(sink, 2, 0).content).toEqual([
    { type: "text", text: "Look" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
  ]);
  expect(message(sink, 2, 5)).toEqual({
    role: "system",
    content: "Hm",
    extra: { openai: { role: "oracle" } },
  });
  expect(sink.unknowns).toEqual(["role oracle"]);
});

test("Imported messages can be sent again", () => {
  const sink = readText(fixture("fine-tune.jsonl"));
  const [first] = records(fixture("fine-tune.jsonl"));
  const messages = (sink.conversations[0]?.entries ?? []).map((entry) => entry.message as Message);
  expect(toOpenAI(messages)).toEqual(first?.messages);
});

test("A file of bare messages is one conversation, known by its path", () => {
  const sink = readText(fixture("bare-messages.jsonl"), "notes/chat.jsonl");
  expect(sink.conversations).toHaveLength(1);
  expect(sink.lines()).toEqual([
    "system: Be brief.",
    "user: continue",
    "assistant: [tool_use]",
    "user: [tool_result]",
    "user: continue",
    "assistant: [thinking] Done.",
  ]);
  const other = readText(fixture("bare-messages.jsonl"), "other.jsonl");
  expect(other.conversations[0]?.start.sourceId).not.toBe(sink.conversations[0]?.start.sourceId);
});

test("Reading continues where it ended, also between a call and its result", () => {
  const lines = fixture("bare-messages.jsonl").split("\n");
  const whole = readText(fixture("bare-messages.jsonl"));
  const sink = new RecordingSink();
  const around = surroundings("chat.jsonl");
  const first = openaiChat.lines.open(sink, around, undefined);
  readLines(first, lines.slice(0, 3).join("\n"));
  first.end(false);
  const second = openaiChat.lines.open(sink, around, JSON.parse(JSON.stringify(first.state())));
  readLines(second, lines.slice(3).join("\n"), 4);
  second.end(true);
  const entries = (from: RecordingSink) =>
    from.conversations[0]?.entries.map(({ id, parent, message: said }) => ({ id, parent, said }));
  expect(entries(sink)).toEqual(entries(whole));
});

test("An array of bare messages is one conversation, though its elements come one by one", async () => {
  const values = records(fixture("bare-messages.jsonl"));
  const lines = readText(fixture("bare-messages.jsonl"), "chat.json");
  const sink = await readDocument(values, 1);
  const entries = (from: RecordingSink) =>
    from.conversations[0]?.entries.map(({ id, parent }) => `${id}<${parent}`);
  expect(sink.conversations).toHaveLength(1);
  expect(entries(sink)).toEqual(entries(lines));
});

test("The same array, read again with the same sink, starts from the beginning", async () => {
  const sink = new RecordingSink();
  const around = surroundings("chat.json");
  for (const offset of [1, 20, 1, 20]) {
    await openaiChat.document.read(
      { value: { role: "user", content: `at ${offset}` }, line: null, offset },
      sink,
      around,
      new FoundBefore(),
    );
  }
  const ids = sink.conversations[0]?.entries.map(({ id }) => id) ?? [];
  expect(ids.slice(2)).toEqual(ids.slice(0, 2));
});

test("A document of messages stays the same conversation while it grows", async () => {
  const value = JSON.parse(fixture("request.json"));
  const grown = { ...value, messages: [...value.messages, { role: "user", content: "Bye" }] };
  const [before, after] = [await readDocument([value], 0), await readDocument([grown], 0)];
  expect(after.conversations[0]?.start).toEqual(before.conversations[0]?.start);
  expect(after.conversations[0]?.start.model).toBe("gpt-4o-mini");
  const ids = (sink: RecordingSink) => sink.conversations[0]?.entries.map(({ id }) => id) ?? [];
  expect(ids(after).slice(0, 2)).toEqual(ids(before));
  expect(before.conversations[0]?.notes[0]?.value).toEqual({ model: "gpt-4o-mini", temperature: 0.5 });
});

test("Of an array each element with messages is a conversation", async () => {
  const [one, two] = records(fixture("fine-tune.jsonl"));
  const sink = await readDocument([one, two, 5], 1);
  const lines = readText(fixture("fine-tune.jsonl"));
  expect(sink.conversations.map(({ start }) => start.sourceId)).toEqual(
    lines.conversations.slice(0, 2).map(({ start }) => start.sourceId),
  );
  expect(sink.skipped).toHaveLength(1);
});

test("Blocks of Claude in such a file are kept unchanged", () => {
  const call = { type: "tool_use", id: "t1", name: "look", input: {} };
  const text = [
    JSON.stringify({ role: "assistant", content: [{ type: "text", text: "Hm" }, call] }),
    JSON.stringify({ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] }),
  ].join("\n");
  const sink = readText(text);
  expect(message(sink, 0, 0).content).toEqual([{ type: "text", text: "Hm" }, call]);
  expect(message(sink, 0, 1)).toEqual({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }],
  });
});

test("Files of other formats are left to them", () => {
  const line = (value: JsonObject) => openaiChat.lines.sniff([value], "x.jsonl");
  expect(line({ role: "user", content: "x" })).toBe(true);
  expect(line({ role: "assistant", content: null, tool_calls: [] })).toBe(true);
  expect(line({ messages: [{ role: "user", content: "x" }] })).toBe(true);
  expect(line({ role: "user", content: "x", timestamp: "2025-01-01T00:00:00Z" })).toBe(false);
  expect(line({ role: "user", content: "x", ts: 1 })).toBe(false);
  expect(line({ role: "user", message: { content: [] } })).toBe(false);
  expect(line({ type: "user", message: {} })).toBe(false);
  expect(openaiChat.lines.sniff([], "x.jsonl")).toBe(false);
  expect(openaiChat.lines.sniff(records(fixture("fine-tune.jsonl")), "x.jsonl")).toBe(true);
  expect(openaiChat.lines.sniff([{ role: "user", content: "x" }, { _type: "metadata" }], "x.jsonl")).toBe(
    false,
  );
  expect(openaiChat.document.sniff({ conversationId: "x", messages: [{ role: "user", content: "x" }] })).toBe(
    false,
  );
  expect(openaiChat.document.sniff({ role: "user", content: "x" })).toBe(true);
});

test("Content that no message should have does not stop the reader", () => {
  let deep: JsonObject = {};
  for (let level = 0; level < 100; level++) deep = { deep };
  const odd = [
    { role: "user", content: 5 },
    { role: "user", content: [null, "x", deep] },
    { role: "assistant", content: [], tool_calls: ["x", null, { function: {} }] },
    { role: "tool", content: { a: 1 } },
  ];
  const sink = readText(odd.map((value) => JSON.stringify(value)).join("\n"));
  expect(sink.conversations[0]?.entries).toHaveLength(4);
});
