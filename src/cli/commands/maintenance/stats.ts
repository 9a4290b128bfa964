import type { ConversationInfo } from "../../../engine/index.ts";
import type { ListedConversation } from "../../../store/index.ts";
import type { Store, StoreStats } from "../../../store/store.ts";
import { bytesText } from "../../../util/bytes-text.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { nextCommand } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { firstWordsIn } from "../../store/first-words.ts";
import { openToRead } from "../../store/open-store.ts";
import { storeTarget } from "../../store/store-target.ts";
import { counted, numberText } from "../../terminal/count-text.ts";
import { table } from "../../terminal/table.ts";
import { timeAgo } from "../../terminal/time-ago.ts";
import { infoJson, nameOf, titleOf } from "../../view/conversation-view.ts";

export async function run(call: Call): Promise<Result> {
  const target = storeTarget(call.values);
  await using store = await openToRead(call, target);
  const { engine, path } = target;
  const none: StoreStats = {
    conversations: 0,
    messages: 0,
    entries: 0,
    bytes: 0,
    reclaimable: 0,
    engine,
    path,
    top: [],
    sizes: {},
  };
  const stats = (await store?.stats()) ?? none;
  const top = stats.top.map((info) => ({ ...infoJson(info), bytes: stats.sizes[info.id] ?? 0 }));
  const json = { ...contractOf(stats), top };
  if (call.json || store === undefined) return { json, lines: factLines(call.out, stats) };
  const listed = await Promise.all(stats.top.map((info) => withFirstWords(store, info)));
  return {
    json,
    lines: [
      ...factLines(call.out, stats),
      ...(await reclaimLines(call, store, stats)).map((line) => `  ${line}`),
      ...(listed.length === 0 ? [] : ["", "Longest conversations:", ...topTable(call.out, listed, stats)]),
    ],
  };
}

function contractOf(stats: StoreStats): Record<string, unknown> {
  const { conversations, entries, bytes, reclaimable, engine, path } = stats;
  return { conversations, entries, bytes, reclaimable, engine, path };
}

function factLines(out: Output, stats: StoreStats): string[] {
  const facts = [
    ["Store", `${stats.engine}:${safeLine(stats.path ?? "")}`],
    ["Conversations", numberText(stats.conversations)],
    ["Entries", numberText(stats.entries)],
    ["Size", bytesText(stats.bytes)],
    ["Reclaimable", bytesText(stats.reclaimable)],
  ];
  return facts.map(([name = "", value]) => `${out.style("bold", name.padEnd(13))} ${value}`);
}

/** How to free the reclaimable space. */
async function reclaimLines(call: Call, store: Store | undefined, stats: StoreStats): Promise<string[]> {
  if (store === undefined || stats.reclaimable === 0) return [];
  let [count, bytes] = [0, 0];
  for await (const { id } of store.list({ trash: true })) {
    count++;
    bytes += stats.sizes[id] ?? 0;
  }
  const purge = nextCommand("sessions purge --trash", call.values);
  // Folders shrink at once; a SQLite file keeps free pages for later writes.
  const free = stats.engine === "sqlite" ? stats.reclaimable - bytes : 0;
  return [
    ...(count === 0 ? [] : [`${bytesText(bytes)}: ${counted(count, "conversation")} in the trash. ${purge}`]),
    ...(free > 0 ? [`${bytesText(free)}: free pages inside the file, reused by later writes`] : []),
  ];
}

async function withFirstWords(store: Store, info: ConversationInfo): Promise<ListedConversation> {
  if (titleOf(info) !== "") return info;
  const conversation = await store.get(info.id);
  return { ...info, firstWords: conversation === undefined ? null : await firstWordsIn(conversation) };
}

function topTable(out: Output, top: readonly ListedConversation[], { sizes }: StoreStats): string[] {
  return table(
    out,
    [
      { title: "TITLE", rank: 0, min: 8, style: (row) => (top[row]?.title ? undefined : "dim") },
      { title: "CONVERSATION", rank: 1, min: 12, names: true },
      { title: "SIZE", rank: 2, align: "right" },
      { title: "MESSAGES", rank: 3, align: "right" },
      { title: "LAST", rank: 4 },
    ],
    top.map((info) => [
      titleOf(info) || "–",
      nameOf(info),
      bytesText(sizes[info.id] ?? 0),
      numberText(info.messageCount),
      timeAgo(info.lastMessageAt),
    ]),
  );
}
