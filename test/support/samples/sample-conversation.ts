/** A conversation with something of everything, for tests. */

import { type ExportOptions, exportConversation } from "../../../src/formats/export/index.ts";
import { openStore } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";

export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const LONE = "half a pair: \ud83d, a whole one: 😀, שלום";
export const LARGE: string = "a long line of what a tool printed\n".repeat(1000);

/** Branches `main`, `again` (checked out) and `other`, a compaction, labels, tools, pictures and a blob. */
export async function sampleStore(): Promise<{ readonly store: Store; readonly id: string }> {
  const store = await openStore("ephemeral:");
  const chat = await store.open("cli:sample", { title: "A *sample*", model: "claude-sonnet-4-5" });
  const blob = await store.putBlob(Buffer.from("the bytes of a file"));
  await chat.append([
    { role: "system", content: "Be brief.", id: "e1" },
    { role: "user", content: LONE, id: "e2", at: "2026-11-15T06:35:15.718Z" },
  ]);
  await chat.append([
    {
      role: "assistant",
      id: "e3",
      content: [
        { type: "thinking", thinking: "Let me look.", signature: "c2ln" },
        { type: "text", text: "I look." },
        { type: "tool_use", id: "t1", name: "read", input: { path: "a.txt" } },
        { type: "tool_use", id: "t2", name: "list", input: {} },
      ],
      model: "claude-opus-4-1",
      usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3 },
      stopReason: "tool_use",
    },
    {
      role: "user",
      id: "e4",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: LARGE },
        {
          type: "tool_result",
          tool_use_id: "t2",
          content: [{ type: "text", text: "no such folder" }],
          is_error: true,
        },
      ],
    },
    { role: "assistant", content: "Done.", id: "e5" },
  ]);
  await chat.append({
    role: "user",
    id: "e6",
    content: [
      { type: "text", text: "See these" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      {
        type: "document",
        title: "notes.bin",
        source: { type: "blob", hash: blob.hash, media_type: "application/pdf" },
      },
    ],
  });
  await chat.compact({ summarize: async () => "They looked at a file.", keepMessages: 1 });
  await chat.append({ role: "assistant", content: "I see.", id: "e7" });
  await chat.label("e5", "before the picture");
  await chat.branch("e3", { name: "other" });
  await chat.append({ role: "user", content: "Stop that", id: "o1" }, { branch: "other" });
  await chat.edit("e6", { role: "user", content: "Something else", id: "a1" }, { name: "again" });
  await chat.append({ role: "assistant", content: "Fine.", id: "a2" });
  return { store, id: chat.id };
}

export async function exported(store: Store, idOrKey: string, options: ExportOptions): Promise<string> {
  return (await Array.fromAsync(exportConversation(store, idOrKey, options))).join("");
}
