/** A page as text is the page that is read as objects. */
import assert from "node:assert/strict";
import type { MessageInput } from "../../../message/types.ts";
import type { Conversation } from "../../../store/conversation.ts";
import type { EntryQuery } from "../../../store/read/entry-query.ts";
import { idOf, refuses, type Topic } from "../../kit.ts";

const TOOL_RESULT = { type: "tool_result", tool_use_id: "t", content: "line of output\n".repeat(10_000) };
const MESSAGES: readonly MessageInput[] = [
  { role: "user", content: 'quotes " and \\ and\nlines \u2028 and \u0000' },
  { role: "assistant", content: [{ type: "text", text: "é 漢字 😀 \ud800" }] },
  { role: "user", content: "own id", id: 'e "3"\\' },
  { role: "user", content: [TOOL_RESULT], id: "large" },
  { role: "assistant", content: "last" },
];
const QUERIES: readonly EntryQuery[] = [
  {},
  { last: 2 },
  { limit: 2 },
  { before: "large", limit: 2 },
  { after: "large" },
  { last: 5, maxBytes: 300 },
  { last: 10, blobs: "references" },
  { all: true, limit: 4 },
  { branch: "other", last: 3 },
  { cursor: null },
];

/** Twice: an engine may remember what it has checked. */
async function sameText(chat: Conversation, query: EntryQuery): Promise<void> {
  const page = JSON.stringify(await chat.messages(query));
  for (let time = 0; time < 2; time++) {
    assert.equal(await chat.messagesText(query), page, JSON.stringify(query));
  }
}

async function filled(chat: Conversation): Promise<void> {
  await chat.append(MESSAGES, { operationId: "the operation" });
  await chat.branch("large", { name: "other" });
  await chat.append({ role: "user", content: "on another branch" });
}

export const pageText: Topic = (check) => {
  check("a page as text is the JSON of the page", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await filled(chat);
    for (const query of QUERIES) await sameText(chat, query);
    const { cursor } = await chat.messages({ last: 2 });
    await sameText(chat, { cursor, limit: 2 });
  });

  check("a page as text that was never read as objects is the same", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await filled(chat);
    const text = await chat.messagesText({ last: 10 });
    assert.equal(text, JSON.stringify(await chat.messages({ last: 10 })));
  });

  check("a page as text has nothing of an erased message", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const { entries } = await chat.append([
      { role: "user", content: "keep" },
      { role: "user", content: "hidden" },
    ]);
    await sameText(chat, { last: 2 });
    await chat.redact(idOf(entries[1]));
    await sameText(chat, { last: 2 });
    assert.ok(!(await chat.messagesText()).includes("hidden"));
  });

  check("a page as text is refused as the page is", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await sameText(chat, { last: 5 });
    await chat.append({ role: "user", content: "m1", id: "e1" });
    await refuses("VALIDATION_ERROR", chat.messagesText({ limit: 0 }));
    await refuses("NOT_FOUND", chat.messagesText({ after: "nobody" }));
    await refuses("NOT_FOUND", chat.messagesText({ branch: "nobody" }));
    await store.delete(chat.id);
    await refuses("NOT_FOUND", chat.messagesText());
    await refuses("NOT_FOUND", chat.messagesText({ after: "e1" }));
  });
};
