import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { RecordingSink, readFile, surroundings } from "../../../../test/support/samples/recording-sink.ts";
import type { Message } from "../../../message/types.ts";
import type { JsonObject } from "../../../util/json.ts";
import { FoundBefore } from "../../import/forks/found-before.ts";
import { sharegpt } from "./index.ts";

function fixture(name: string): string {
  return readFileSync(`test/fixtures/sharegpt/${name}`, "utf8");
}

function readText(text: string): RecordingSink {
  return readFile(sharegpt.lines, text, "data.jsonl");
}

function message(sink: RecordingSink, conversation: number, index: number): Message {
  return sink.conversations[conversation]?.entries[index]?.message as Message;
}

test("Turns become messages, in order, with unchanged text", () => {
  const sink = readText(fixture("turns.jsonl"));
  expect(sink.lines(0)).toEqual([
    "system: You know birds.",
    "user:  What sings? ",
    "assistant: [tool_use]",
    "user: [tool_result]",
    "assistant: A wren.",
  ]);
  expect(sink.conversations.map(({ start }) => start.sourceId)).toEqual(["sg-1", expect.any(String), "7"]);
  expect(sink.conversations[2]?.entries).toEqual([]);
  const entries = sink.conversations[0]?.entries ?? [];
  expect(entries.map(({ parent }) => parent)).toEqual([null, ...entries.slice(0, 4).map(({ id }) => id)]);
});

test("A call receives an id, and the observation answers it", () => {
  const sink = readText(fixture("turns.jsonl"));
  const call = message(sink, 0, 2).content[0] as JsonObject;
  expect(call).toMatchObject({ type: "tool_use", name: "listen", input: { minutes: 5 } });
  expect(message(sink, 0, 3).content).toEqual([
    { type: "tool_result", tool_use_id: call.id, paired: "order", content: '{"bird": "wren"}' },
  ]);
});

test("Several calls in one turn are answered in order, and surplus results stay unpaired", () => {
  const sink = readText(fixture("turns.jsonl"));
  const [a, b] = message(sink, 1, 4).content as readonly JsonObject[];
  expect([a, b]).toMatchObject([
    { name: "a", input: {} },
    { name: "b", input: { x: 1 } },
  ]);
  expect(message(sink, 1, 5).content).toMatchObject([
    { tool_use_id: a?.id, paired: "order", content: "first" },
  ]);
  expect(message(sink, 1, 6).content).toMatchObject([
    { tool_use_id: b?.id, paired: "order", content: "second" },
  ]);
  expect((message(sink, 1, 7).content[0] as JsonObject).paired).toBeUndefined();
});

test("A result does not answer a call that the user ignored", () => {
  const turns = [
    { from: "function_call", value: '{"name": "listen", "arguments": {}}' },
    { from: "human", value: "Never mind" },
    { from: "observation", value: "late" },
  ];
  const sink = readText(JSON.stringify({ conversations: turns }));
  expect((message(sink, 0, 2).content[0] as JsonObject).paired).toBeUndefined();
});

test("A call that is not JSON keeps its text", () => {
  const sink = readText(fixture("turns.jsonl"));
  expect(message(sink, 1, 8).content).toMatchObject([
    { type: "tool_use", name: "function_call", input: {}, arguments: "listen(5)" },
  ]);
});

test("Tools and other properties are noted; weights and unknown speakers are kept", () => {
  const sink = readText(fixture("turns.jsonl"));
  expect(sink.conversations[0]?.notes[0]?.value).toMatchObject({ id: "sg-1", tools: '[{"name": "listen"}]' });
  expect(message(sink, 0, 4).extra).toEqual({ sharegpt: { weight: 0.5 } });
  expect(message(sink, 1, 9)).toEqual({
    role: "system",
    content: "Caw",
    extra: { sharegpt: { from: "crow" } },
  });
  expect(sink.unknowns).toEqual(["from crow"]);
});

test("The same turn twice is two entries, and ids are the same in every import", () => {
  const [once, again] = [readText(fixture("turns.jsonl")), readText(fixture("turns.jsonl"))];
  const ids = (sink: RecordingSink) => sink.conversations[1]?.entries.map(({ id }) => id) ?? [];
  expect(new Set(ids(once)).size).toBe(10);
  expect(ids(again)).toEqual(ids(once));
  expect(again.conversations[1]?.start.sourceId).toBe(once.conversations[1]?.start.sourceId);
});

test("An array of the first form is read as well", async () => {
  const sink = new RecordingSink();
  const [value] = JSON.parse(fixture("items.json"));
  expect(sharegpt.document.sniff(value)).toBe(true);
  await sharegpt.document.read(
    { value, line: null, offset: 1 },
    sink,
    surroundings("items.json"),
    new FoundBefore(),
  );
  expect(sink.lines()).toEqual(["user: <div>Hi</div>", "assistant: <p>Hello</p>"]);
});

test("Only files of such turns are taken, and an odd line is skipped", () => {
  const lines = fixture("turns.jsonl")
    .split("\n")
    .filter((line) => line !== "");
  expect(
    sharegpt.lines.sniff(
      lines.map((line) => JSON.parse(line)),
      "x.jsonl",
    ),
  ).toBe(true);
  expect(sharegpt.lines.sniff([], "x.jsonl")).toBe(false);
  expect(sharegpt.lines.sniff([{ conversations: [{ role: "user" }] }], "x.jsonl")).toBe(false);
  expect(sharegpt.document.sniff({ messages: [] })).toBe(false);
  expect(readText('{"other": 1}').skipped).toEqual([{ line: 1, reason: "not a conversation" }]);
});
