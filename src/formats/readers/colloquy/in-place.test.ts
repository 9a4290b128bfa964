import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import type { Conversation } from "../../../store/conversation.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { importConversations } from "../../import/run.ts";

const PIXEL = "iVBORw0KGgo=";

/** Everything that the programs write into a line, with every spelling of a call. */
const LINES: readonly JsonObject[] = [
  { role: "system", content: "Answer in one sentence." },
  {
    role: "user",
    content: "Which quay is this?",
    media: [
      { type: "image", url: "", base64: PIXEL, mimetype: "image/png" },
      { type: "image", url: "https://example.invalid/quay.png", caption: "at noon" },
      { type: "file", base64: PIXEL, mimetype: "application/pdf" },
    ],
  },
  {
    role: "assistant",
    content: "",
    tool_calls: [
      { id: "call_1", name: "tides", params: { harbour: "north" } },
      { id: "call_2", name: "ferries", params: '{"day":"today"}', retry: 1 },
      { id: "call_3", type: "function", function: { name: "wind", arguments: '{"unit":"kn"}' } },
    ],
  },
  { role: "tool", content: "04:12", tool_call_id: "call_1" },
  {
    role: "tool",
    content: [{ type: "text", text: "every two hours" }],
    tool_call_id: "call_2",
    name: "ferries",
  },
  { role: "tool", content: { knots: 12 }, tool_call_id: "call_3" },
  { role: "assistant", content: "The north quay.", thinking: "It has a crane.", mood: "calm" },
  {
    role: "assistant",
    content: "I look again.",
    tool_calls: [{ id: "call_4", name: "look", params: { at: "crane" } }],
    tool_results: [{ id: "call_4", output: { cranes: 2 }, success: false }],
  },
  { role: "assistant", content: [{ type: "text", text: "Two cranes." }], usage: null, model_id: "small-1" },
  { role: "developer", content: "Stay short." },
  { role: "human", content: "Thanks!" },
  { role: "assistant", content: null },
  { role: "assistant", content: [{ type: "tool_use", name: "without an id" }] },
  { note: "not a message" },
  { role: "user", content: "Bye." },
];

const at = (index: number): string => `2025-02-01T10:00:${String(index).padStart(2, "0")}Z`;

/** A file for each format, with the head line that its programs write, and the key that it has in the folder. */
const FILES: readonly (readonly [title: string, name: string, lines: readonly Json[]])[] = [
  ["v1", "web_x", LINES.map((line, index) => ({ ...line, timestamp: at(index) }))],
  [
    "v1 with metadata",
    "web_y",
    [
      { _type: "metadata", created_at: at(0), title: "Quays", key: "web:y", metadata: {} },
      ...LINES.map((line, index) => ({ ...line, timestamp: at(index) })),
    ],
  ],
  [
    "v2",
    "web_z",
    [
      { _type: "metadata", version: 2, tree_enabled: true, key: "web:z" },
      ...LINES.map((line, index) => ({
        ...line,
        timestamp: at(index),
        id: `m-${index}`,
        parent_id: index === 0 ? null : `m-${index - 1}`,
      })),
    ],
  ],
  [
    "v2 with ts",
    "web_w",
    [
      { _type: "metadata", version: 2, key: "web:w" },
      ...LINES.map((line, index) => ({ ...line, ts: at(index), id: `m-${index}` })),
    ],
  ],
  ["lines with ts", "20250201100000000", LINES.map((line, index) => ({ ...line, ts: at(index) }))],
];

/** A folder with one legacy file. */
function folderWith(name: string, lines: readonly unknown[]): string {
  const folder = join(tempFolder(), "sessions");
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return folder;
}

async function shown(chat: Conversation): Promise<object> {
  const { messageCount, createdAt, lastMessageAt } = await chat.info();
  const { items } = await chat.messages();
  const contexts: Record<string, unknown> = {};
  for (const api of ["anthropic", "openai", "openai-responses", "ai-sdk"] as const)
    contexts[api] = { ...(await chat.context({ maxTokens: 100_000, as: api })), ledger: undefined };
  const said = items.map(({ at, message }) => ({
    at,
    role: message?.role,
    content: message?.content,
    model: message?.model,
  }));
  return { counts: { messageCount, createdAt, lastMessageAt }, said, contexts };
}

describe("a legacy transcript that is read in place", () => {
  it.each(FILES)("returns what an import of it returns: %s", async (_title, name, lines) => {
    const folder = folderWith(name, lines);
    await using imported = await openStore("ephemeral:");
    await importConversations(imported, [folder]);
    await using inPlace = await openStore(`jsonl:${folder}`, { readonly: true, onProblem: () => {} });
    const [there, here] = [await inPlace.list(), await imported.list()];
    expect([there.items.length, here.items.length]).toEqual([1, 1]);
    const left = (await inPlace.get(there.items[0]?.id as string)) as Conversation;
    const right = (await imported.get(here.items[0]?.id as string)) as Conversation;
    const shownInPlace = await shown(left);
    expect(shownInPlace).toEqual(await shown(right));
    expect(JSON.stringify(shownInPlace)).toContain('"input":{"harbour":"north"}');
  });

  it("has the key, the title and the times that the file states", async () => {
    for (const [_title, name, lines] of FILES.slice(1, 3)) {
      const folder = folderWith(name, lines);
      await using imported = await openStore("ephemeral:");
      await importConversations(imported, [folder]);
      await using inPlace = await openStore(`jsonl:${folder}`, { readonly: true, onProblem: () => {} });
      const facts = async (store: Store): Promise<unknown[]> =>
        (await store.list()).items.map(({ key, title, createdAt }) => ({ key, title, createdAt }));
      const key = name.replace("_", ":");
      // The v2 file has no `created_at`: its first entry says when it began.
      expect(await facts(inPlace)).toMatchObject([{ key, createdAt: "2025-02-01T10:00:00.000Z" }]);
      const [here] = (await facts(imported)) as { title: string | null }[];
      const [there] = (await facts(inPlace)) as { title: string | null }[];
      expect(here).toEqual({ ...there, title: there?.title ?? here?.title });
    }
  });

  const STATED = {
    title: "Quays",
    profile_id: "p1",
    context_state: { strategy: "sandwich" },
  };
  const PERSONAL = [{ role: "user", content: "Hello", ts: at(1) }];
  const BARE = [
    { role: "user", content: [{ type: "text", text: "Hello" }] },
    { role: "assistant", content: [{ type: "thinking", thinking: "…", signature: "s" }] },
  ];

  it.each([
    [
      "PersonalAgent",
      "20250201100000000",
      "20250201100000000.meta.json",
      PERSONAL,
      { model_id: "m", created_at: at(0) },
    ],
    [
      "PersonalAgent, no time",
      "20250201100001000",
      "20250201100001000.meta.json",
      PERSONAL,
      { model_id: "m" },
    ],
    ["Komatachi", "quay/transcript", "quay/metadata.json", BARE, { model: "m", createdAt: at(0) }],
    [
      "Komatachi, other names",
      "quay/transcript",
      "quay/metadata.json",
      BARE,
      { model: "m", created_at: at(0) },
    ],
  ])("has what the file beside it states, as an import has: %s", async (_, name, beside, lines, more) => {
    const folder = folderWith(name, lines);
    writeFileSync(join(folder, beside), JSON.stringify({ ...STATED, ...more }));
    const createdAt = Object.keys(more).length > 1 ? "2025-02-01T10:00:00.000Z" : "2025-02-01T10:00:01.000Z";
    const stated = {
      title: "Quays",
      model: "m",
      profileId: "p1",
      contextState: STATED.context_state,
      createdAt,
    };
    await using imported = await openStore("ephemeral:");
    await importConversations(imported, [folder]);
    expect((await imported.list()).items).toMatchObject([stated]);
    const problems: string[] = [];
    await using inPlace = await openStore(`jsonl:${folder}`, {
      onProblem: ({ message }) => problems.push(message),
    });
    const key = `legacy:${name.replace("/transcript", "")}`;
    expect((await inPlace.list()).items).toMatchObject([{ ...stated, key }]);
    expect([(await inPlace.validate()).findings, problems]).toEqual([[], []]);
    const { id } = (await inPlace.list()).items[0] as { id: string };
    await (await inPlace.get(id))?.append({ role: "user", content: "More" });
    expect((await inPlace.list()).items).toMatchObject([{ ...stated, key, id }]);
    expect([(await inPlace.validate()).findings, problems]).toEqual([[], []]);
  });

  it("is imported as v2 also where new conversations are legacy files, which could not hold all of it", async () => {
    const folder = tempFolder();
    const [[_title, name, lines]] = FILES as [(typeof FILES)[number]];
    const file = join(folder, `${name}.jsonl`);
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await using store = await openStore(`jsonl:${join(folder, "store")}`, { sessions: { format: "legacy" } });
    expect(await importConversations(store, [file])).toMatchObject({ conversations: 1, skippedCount: 0 });
    expect((await store.migrateLegacy({ dryRun: true })).items).toEqual([]);
  });
});
