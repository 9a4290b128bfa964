import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  type RecordingSink,
  readValues,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import type { JsonObject } from "../../../util/json.ts";
import { librechat } from "./index.ts";

function fixture(name: string): JsonObject {
  return JSON.parse(readFileSync(`test/fixtures/librechat/${name}`, "utf8"));
}

function read(value: unknown): Promise<RecordingSink> {
  return readValues(librechat.document, [value], surroundings("chat.json"));
}

function entry(sink: RecordingSink, id: string) {
  return sink.conversations[0]?.entries.find((found) => found.id === id);
}

test("Messages within messages become a tree, with the newest branch first", async () => {
  const sink = await read(fixture("nested-branches.json"));
  const [chat] = sink.conversations;
  expect(chat?.entries.map(({ id, parent, message }) => `${message?.role} ${id}<${parent}`)).toEqual([
    "user m1<null",
    "assistant m2<m1",
    "user m2/results-1<m2",
    "assistant m2/2<m2/results-1",
    "user m2/results-2<m2/2",
    "assistant m2/3<m2/results-2",
    "user m3<m2/3",
    "assistant m2b<m1",
  ]);
  expect(chat?.leaf).toBe("m3");
  expect(chat?.start).toMatchObject({
    sourceId: "lc-1",
    title: "Pebbles",
    model: "gpt-4o",
    about: { endpoint: "agents" },
  });
  // The time of day in `exportAt` is not a date.
  expect(chat?.start.createdAt).toBeUndefined();
});

test("Calls hold their arguments, and the results follow in a separate message", async () => {
  const sink = await read(fixture("nested-branches.json"));
  const measured = entry(sink, "m2")?.message?.content[3] as JsonObject;
  expect(entry(sink, "m2")?.message?.content).toEqual([
    { type: "thinking", thinking: "Search twice." },
    { type: "text", text: "Looking." },
    { type: "tool_use", id: "call_1", name: "search", input: { q: "pebbles" } },
    { type: "tool_use", id: measured.id, name: "measure", input: {}, arguments: "not json" },
  ]);
  expect(entry(sink, "m2/results-1")?.message?.content).toEqual([
    { type: "tool_result", tool_use_id: "call_1", content: "three found" },
    { type: "tool_result", tool_use_id: measured.id, content: "" },
  ]);
  expect(entry(sink, "m2/2")?.message?.content).toEqual([
    { type: "text", text: "Here they are." },
    { type: "tool_use", id: "call_3", name: "count", input: { value: [1] }, arguments: "[1]" },
    { type: "tool_use", id: "call_4", name: "wait", input: { s: 1 } },
  ]);
  expect(entry(sink, "m2/results-2")?.message?.content).toEqual([
    { type: "tool_result", tool_use_id: "call_3", content: "3" },
  ]);
});

test("Pictures that are in the file are read, those of the server are marked and kept", async () => {
  const sink = await read(fixture("nested-branches.json"));
  expect(entry(sink, "m2/3")?.message?.content).toEqual([
    { type: "error", error: "Connection lost" },
    { type: "image_file", image_file: { file_id: "img-1", filepath: "/images/u1/made.png" } },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
    { type: "agent_update", agent_update: { index: 1 } },
  ]);
  expect(entry(sink, "m1")?.message?.content).toEqual([
    { type: "text", text: "Show me pebbles" },
    {
      type: "file",
      file_id: "file-9",
      filename: "pebble.png",
      filepath: "/images/u1/pebble.png",
      media_type: "image/png",
    },
  ]);
  expect(sink.unresolvedReferences.toSorted()).toEqual(["/images/u1/made.png", "/images/u1/pebble.png"]);
  expect(sink.unknowns).toEqual(["content agent_update"]);
});

test("Tokens, model and end are those of the answer; an unfinished one is marked", async () => {
  const sink = await read(fixture("nested-branches.json"));
  expect(entry(sink, "m2")?.message).toMatchObject({
    model: "gpt-4o",
    usage: { output_tokens: 42 },
    stopReason: "stop",
  });
  expect(entry(sink, "m2/2")?.message?.usage).toBeUndefined();
  expect(entry(sink, "m2b")).toMatchObject({
    flags: ["cut-off"],
    message: { model: "o3", content: "Half an ans", extra: { librechat: { error: true } } },
  });
});

test("No result is kept with two entries, and no record repeats the messages below it", async () => {
  const sink = await read(fixture("nested-branches.json"));
  const kept = JSON.stringify(sink.conversations[0]?.entries.map(({ records }) => records));
  expect(kept.split("three found")).toHaveLength(2);
  expect(kept.split("Thanks")).toHaveLength(2);
});

test("A flat list is linked by the ids of parents, and an orphan is kept", async () => {
  const sink = await read(fixture("flat-list.json"));
  expect(sink.conversations[0]?.entries.map(({ id, parent }) => `${id}<${parent}`)).toEqual([
    "f3<never",
    "f1<null",
    "f2<f1",
  ]);
  expect(sink.conversations[0]?.leaf).toBe("f3");
  expect(sink.conversations[0]?.notes[0]?.value).toMatchObject({ messages: ["not a message"] });
});

test("Messages without any links follow one another", async () => {
  const messages = ["a", "b", "c"].map((text) => ({ text, isCreatedByUser: true }));
  const sink = await read({ conversationId: "lc-3", messages });
  const entries = sink.conversations[0]?.entries ?? [];
  expect(sink.lines()).toEqual(["user: a", "user: b", "user: c"]);
  expect(entries.map(({ parent }) => parent)).toEqual([null, entries[0]?.id, entries[1]?.id]);
});

test("A tree of twenty thousand levels is read without recursion", async () => {
  let message: JsonObject = { messageId: "deep-0", text: "end", isCreatedByUser: true, children: [] };
  for (let level = 1; level < 20_000; level++) {
    message = { messageId: `deep-${level}`, text: "x", isCreatedByUser: true, children: [message] };
  }
  const sink = await read({ conversationId: "lc-deep", messagesTree: [message] });
  expect(sink.conversations[0]?.entries).toHaveLength(20_000);
  expect(sink.conversations[0]?.leaf).toBe("deep-0");
});

test("It is known by its conversation id and its messages", () => {
  expect(librechat.document.sniff(fixture("flat-list.json"))).toBe(true);
  expect(librechat.document.sniff(fixture("nested-branches.json"))).toBe(true);
  expect(librechat.document.sniff({ messages: [] })).toBe(false);
});
