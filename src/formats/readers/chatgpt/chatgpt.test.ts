import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  type RecordingSink,
  readValues,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import type { JsonObject } from "../../../util/json.ts";
import { objectIn } from "../../../util/values.ts";
import { chatgpt } from "./index.ts";

function fixture(name: string): JsonObject[] {
  const value = JSON.parse(readFileSync(`test/fixtures/chatgpt/${name}`, "utf8"));
  return Array.isArray(value) ? value : [value];
}

function read(
  values: readonly unknown[],
  files: Readonly<Record<string, string>> = {},
): Promise<RecordingSink> {
  return readValues(chatgpt.document, values, surroundings("conversations.json", files));
}

function blocks(sink: RecordingSink, id: string): readonly JsonObject[] {
  const content = sink.conversations[0]?.entries.find((entry) => entry.id === id)?.message?.content;
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

test("The exported path comes first and is the leaf; the other versions follow, oldest first", async () => {
  const sink = await read(fixture("conversations-with-branches.json"));
  const [garden] = sink.conversations;
  expect(garden?.entries.map(({ id, parent }) => `${id}<${parent}`)).toEqual([
    "sys<null",
    "ctx<sys",
    "u1<ctx",
    "a1<u1",
    "u2<a1",
    "a2b<u2",
    "u2b<a1",
    "a2<u2",
  ]);
  expect(garden?.leaf).toBe("a2b");
  expect(garden?.start).toMatchObject({
    sourceId: "c-garden",
    title: "A garden plan",
    model: "gpt-4o",
    createdAt: 1740823200250,
  });
});

test("A conversation without messages is still announced", async () => {
  const sink = await read(fixture("conversations-with-branches.json"));
  expect(sink.conversations[1]?.start.sourceId).toBe("c-empty");
  expect(sink.conversations[1]?.entries).toEqual([]);
  expect(sink.conversations[1]?.leaf).toBeUndefined();
});

test("Times, models, ends and hidden messages are kept", async () => {
  const sink = await read(fixture("conversations-with-branches.json"));
  const entry = (id: string) => sink.conversations[0]?.entries.find((found) => found.id === id);
  expect(entry("sys")).toMatchObject({
    at: undefined,
    message: { role: "system", extra: { chatgpt: { hidden: true } } },
  });
  expect(entry("ctx")?.message?.content).toEqual([
    { type: "text", text: "I grow beans." },
    { type: "text", text: "Answer briefly." },
  ]);
  expect(entry("a1")).toMatchObject({ at: 1740823210000, message: { model: "gpt-4o", stopReason: "stop" } });
  expect(entry("a1")?.flags).toBeUndefined();
  expect(entry("a2")?.flags).toEqual(["cut-off"]);
  expect(entry("a2b")).toMatchObject({
    aliases: ["a2b-message"],
    message: { extra: { chatgpt: { channel: "final" } } },
  });
});

test("Every node and the rest of the conversation is kept as a record", async () => {
  const sink = await read(fixture("conversations-with-branches.json"));
  const [garden] = sink.conversations;
  const noted = garden?.notes.map(({ value }) => (value as JsonObject).id);
  expect(noted).toEqual(["c-garden", "root", "gap"]);
  expect(garden?.entries.every(({ id, records }) => objectIn(records[0]?.value)?.id === id)).toBe(true);
  expect(Object.keys(objectIn(garden?.notes[0]?.value) ?? {})).not.toContain("mapping");
});

test("Calls are found by their recipient and paired with results of the same tool by order", async () => {
  const sink = await read(fixture("tools-and-content-types.json"));
  const [python] = blocks(sink, "m4");
  const [search] = blocks(sink, "m5");
  expect(python).toMatchObject({
    type: "tool_use",
    name: "python",
    input: { code: "len(beans)", language: "python" },
  });
  expect(search).toMatchObject({ type: "tool_use", name: "browser.search", input: { query: "bean sizes" } });
  expect(blocks(sink, "m6")).toEqual([
    {
      type: "tool_result",
      tool_use_id: search?.id,
      paired: "order",
      content: [
        { type: "text", text: "# Beans" },
        { type: "text", text: "One page" },
      ],
    },
  ]);
  expect(blocks(sink, "m7")).toEqual([
    { type: "tool_result", tool_use_id: python?.id, paired: "order", content: "12" },
  ]);
  expect(python?.id).not.toBe(search?.id);
});

test("A second message of a tool answers the same call, and an error is marked", async () => {
  const sink = await read(fixture("tools-and-content-types.json"));
  expect(blocks(sink, "m8")[0]).toMatchObject({ tool_use_id: blocks(sink, "m4")[0]?.id, is_error: true });
  expect(blocks(sink, "m9")[0]).toMatchObject({ tool_use_id: blocks(sink, "m5")[0]?.id });
  expect(blocks(sink, "m9")[0]?.content).toEqual([
    {
      type: "text",
      text: "Beans are seeds.",
      url: "https://example.org/beans",
      domain: "example.org",
      title: "Beans",
    },
  ]);
});

test("A result without a call in its turn is kept, unpaired", async () => {
  const sink = await read(fixture("tools-and-content-types.json"));
  const [result] = blocks(sink, "m13");
  expect(result).toMatchObject({ type: "tool_result", content: "Model set context updated." });
  expect(result?.paired).toBeUndefined();
  expect(result?.tool_use_id).toMatch(/^[0-9a-f]{32}$/);
});

test("Ids of calls are the same in every import", async () => {
  const [once, twice] = [
    await read(fixture("tools-and-content-types.json")),
    await read(fixture("tools-and-content-types.json")),
  ];
  expect(blocks(once, "m4")).toEqual(blocks(twice, "m4"));
});

test("Thoughts and their recap become thinking, code said to the person stays text", async () => {
  const sink = await read(fixture("tools-and-content-types.json"));
  expect(blocks(sink, "m2")).toEqual([
    { type: "thinking", thinking: "I should count.", summary: "Counting" },
    { type: "thinking", thinking: "Only a summary" },
  ]);
  expect(blocks(sink, "m3")).toEqual([{ type: "thinking", thinking: "Thought for 3 seconds" }]);
  expect(blocks(sink, "m10")).toEqual([{ type: "text", text: "print('done')" }]);
});

test("An unknown role and an unknown type of content are reported and kept whole", async () => {
  const sink = await read(fixture("tools-and-content-types.json"));
  expect(sink.unknowns.toSorted()).toEqual(["content_type super_widget", "role critic"]);
  expect(blocks(sink, "m11")).toEqual([{ type: "super_widget", content_type: "super_widget", widget: 7 }]);
});

test("Assets are found beside the file and in the folders of the archive", async () => {
  const sink = await read(fixture("assets.json"), {
    "./file-AbC123-leaf.png": "png",
    "./file-AbC1234-other.png": "png",
    "./file-Doc9-notes.txt": "text",
    "dalle-generations/file-Made1-0b1c.webp": "webp",
    "c-pictures/image/file_00ff-made.jpg": "jpg",
    "c-pictures/audio/file_aa11-clip.wav": "wav",
  });
  expect(blocks(sink, "p1")).toEqual([
    { type: "image", source: { type: "file", name: "file-AbC123-leaf.png", media_type: "image/png" } },
    { type: "text", text: "What is this?" },
    {
      type: "document",
      source: { type: "file", name: "file-Doc9-notes.txt", media_type: "text/plain" },
      title: "notes.txt",
    },
  ]);
  expect(blocks(sink, "p3")[0]?.content).toEqual([
    {
      type: "image",
      source: { type: "file", name: "dalle-generations/file-Made1-0b1c.webp", media_type: "image/webp" },
    },
  ]);
  expect(blocks(sink, "p4")[0]).toMatchObject({
    tool_use_id: blocks(sink, "p2")[0]?.id,
    content: [{ type: "image", source: { name: "c-pictures/image/file_00ff-made.jpg" } }],
  });
  expect(blocks(sink, "p5")).toMatchObject([
    { type: "text", text: "Hello there", direction: "in" },
    {
      type: "real_time_user_audio_video_asset_pointer",
      source: { type: "file", name: "c-pictures/audio/file_aa11-clip.wav", media_type: "audio/wav" },
    },
  ]);
  expect(sink.unresolvedReferences).toEqual(["file-Gone1", "file_dead", "file_beef"]);
});

test("A missing asset leaves its block, marked, and attachments stay named", async () => {
  const sink = await read(fixture("assets.json"));
  expect(blocks(sink, "p6")).toMatchObject([
    { type: "image", source: { type: "asset", name: "file_dead" }, missing: true },
    { type: "audio_asset_pointer", asset_pointer: "sediment://file_beef", missing: true },
    { type: "hologram", depth: 3 },
  ]);
  expect(sink.unresolvedReferences).toHaveLength(8);
  expect(sink.conversations[0]?.entries[0]?.message?.extra).toMatchObject({
    chatgpt: { attachments: [{ id: "file-AbC123" }, { id: "file-Doc9" }, { id: "file-Gone1" }] },
  });
});

test("Cycles, missing parents, several roots and parents that only list their children lose no message", async () => {
  const sink = await read(fixture("broken-trees.json"));
  const [broken] = sink.conversations;
  expect(broken?.entries.map(({ id, parent }) => `${id}<${parent}`)).toEqual([
    "below<null",
    "r1<null",
    "r1a<r1",
    "r2<null",
    "lost<never-written",
    "x<y",
    "y<x",
  ]);
  // What the export names as shown is not there: the newest is.
  expect(broken?.leaf).toBe("below");
  expect(broken?.notes.map(({ value }) => (value as JsonObject).id)).toEqual(["c-broken", "e1", "e2", "odd"]);
});

test("The small files of an export are known and say nothing", async () => {
  for (const name of ["user.json", "message_feedback.json", "shared_conversations.json"]) {
    const values = fixture(name);
    expect(chatgpt.document.sniff(values[0] ?? {})).toBe(true);
    const sink = await read(values);
    expect([sink.conversations, sink.skipped]).toEqual([[], []]);
  }
  expect(chatgpt.document.sniff({ id: "x", title: "y" })).toBe(false);
});

test("A value that is not a conversation is skipped with a reason, and unexpected properties are harmless", async () => {
  const odd = {
    id: 5,
    title: null,
    create_time: "soon",
    mapping: { a: { message: { author: 3, content: [1], metadata: "x" } } },
  };
  const sink = await read([7, { nothing: true }, odd]);
  expect(sink.skipped.map(({ reason }) => reason)).toEqual(["not a conversation", "not a conversation"]);
  expect(sink.conversations[0]?.entries).toHaveLength(1);
});
