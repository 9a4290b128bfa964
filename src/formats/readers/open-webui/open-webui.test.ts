import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  type RecordingSink,
  readValues,
  surroundings,
} from "../../../../test/support/samples/recording-sink.ts";
import type { JsonObject } from "../../../util/json.ts";
import { openWebui } from "./index.ts";

function fixture(): JsonObject[] {
  return JSON.parse(readFileSync("test/fixtures/open-webui/chats.json", "utf8"));
}

function read(values: readonly unknown[]): Promise<RecordingSink> {
  return readValues(openWebui.document, values, surroundings("chats.json"));
}

function entry(sink: RecordingSink, id: string) {
  return sink.conversations[0]?.entries.find((found) => found.id === id);
}

test("The tree of the history is read, the shown answer first, with times in seconds", async () => {
  const sink = await read(fixture());
  const [bread] = sink.conversations;
  expect(bread?.entries.map(({ id, parent }) => `${id}<${parent}`)).toEqual(["o1<null", "o2<o1", "o3<o1"]);
  expect(bread?.leaf).toBe("o2");
  expect(entry(sink, "o2")?.at).toBe(1743500010000);
  expect(bread?.start).toMatchObject({
    sourceId: "ow-1",
    title: "Bread",
    model: "llama3.1:8b",
    createdAt: 1743500000000,
    about: { pinned: true, folder_id: "folder-7", tags: ["baking"] },
  });
  expect(bread?.start.about?.archived).toBeUndefined();
});

test("Cached tokens are taken out of the prompt, and the names of Ollama are understood", async () => {
  const sink = await read(fixture());
  expect(entry(sink, "o2")?.message?.usage).toEqual({
    input_tokens: 40,
    output_tokens: 20,
    cache_read_input_tokens: 60,
    reasoning_tokens: 5,
  });
  expect(entry(sink, "o3")?.message?.usage).toEqual({ input_tokens: 9, output_tokens: 3 });
});

test("An answer that failed or is not done keeps its error and is marked", async () => {
  const sink = await read(fixture());
  expect(entry(sink, "o3")).toMatchObject({
    flags: ["cut-off"],
    message: {
      content: "",
      model: "gpt-4o",
      extra: { "open-webui": { error: { content: "Out of memory" } } },
    },
  });
  expect(entry(sink, "o2")?.flags).toBeUndefined();
});

test("Files in the message are read; files on the server are marked and kept", async () => {
  const sink = await read(fixture());
  expect(entry(sink, "o1")?.message?.content).toEqual([
    { type: "text", text: "How long?" },
    { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "aGk=" } },
    {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "Flour and water" },
      title: "dough.txt",
    },
    { type: "open-webui_image", url: "/api/v1/files/77/content" },
    { type: "collection", id: "coll-1", name: "Recipes" },
  ]);
  expect(sink.unresolvedReferences).toEqual(["/api/v1/files/77/content", "coll-1"]);
});

test("A chat that has only the shown messages is one line of them", async () => {
  const sink = await read(fixture());
  const older = sink.conversations[1];
  expect(sink.lines(1)).toEqual(["system: Be brief.", "user: Look [image]", "system: The end"]);
  const ids = older?.entries.map(({ id }) => id) ?? [];
  expect(older?.entries.map(({ parent }) => parent)).toEqual([null, ids[0], ids[1]]);
  expect(older?.leaf).toBe("last");
  expect(older?.start.createdAt).toBe(1700000000000);
  expect(sink.unknowns).toEqual(["role narrator"]);
  expect((await read(fixture())).conversations[1]?.entries.map(({ id }) => id)).toEqual(ids);
});

test("The header keeps all but the messages", async () => {
  const sink = await read(fixture());
  expect(sink.conversations[0]?.notes[0]?.value).toMatchObject({
    user_id: "u",
    chat: { models: ["llama3.1:8b"], history: { currentId: "o2", messages: { o4: null } } },
  });
  expect(JSON.stringify(sink.conversations[0]?.notes)).not.toContain("An hour.");
});

test("A message that only the copy of the path has is kept, too", async () => {
  const history = {
    currentId: "a",
    messages: { a: { id: "a", parentId: null, role: "user", content: "A" } },
  };
  const messages = [
    { id: "a", role: "user", content: "A" },
    { id: "b", role: "assistant", content: "B" },
  ];
  const sink = await read([{ id: "x", chat: { history, messages } }]);
  expect(sink.conversations[0]?.entries.map(({ id, parent }) => `${id}<${parent}`)).toEqual([
    "a<null",
    "b<a",
  ]);
});

test("It is known by its history, also without what the export says about it", async () => {
  const chat = fixture()[0]?.chat as JsonObject;
  expect(openWebui.document.sniff(chat)).toBe(true);
  expect(sinkIds(await read([chat]))).toEqual(["o1", "o2", "o3"]);
  expect(openWebui.document.sniff({ messages: [] })).toBe(false);
  expect((await read([{ chat: 1 }])).skipped).toHaveLength(1);
});

function sinkIds(sink: RecordingSink): string[] {
  return (sink.conversations[0]?.entries ?? []).map(({ id }) => id);
}
