import type { StoreStats } from "../../store/store.ts";
import { bytesText } from "../bytes-text.ts";
import type { Call } from "../command.ts";
import { conversationTable, infoJson, numberText } from "../conversation-view.ts";
import { EXIT_DONE } from "../exit.ts";
import { openToRead } from "../open-store.ts";
import type { Output } from "../output.ts";
import { safeLine } from "../safe-text.ts";
import { storeTarget } from "../store-target.ts";

export async function run(call: Call): Promise<number> {
  const target = storeTarget(call.values);
  await using store = await openToRead(call, target);
  const { engine, path } = target;
  const none = { conversations: 0, entries: 0, bytes: 0, reclaimable: 0, engine, path, top: [] };
  const stats = (await store?.stats()) ?? none;
  if (call.json) call.out.json({ ...contractOf(stats), top: stats.top.map(infoJson) });
  else call.out.lines(statsLines(call.out, stats));
  return EXIT_DONE;
}

function contractOf(stats: StoreStats): Record<string, unknown> {
  const { conversations, entries, bytes, reclaimable, engine, path } = stats;
  return { conversations, entries, bytes, reclaimable, engine, path };
}

function statsLines(out: Output, stats: StoreStats): string[] {
  const facts = [
    ["Store", `${stats.engine}:${safeLine(stats.path ?? "")}`],
    ["Conversations", numberText(stats.conversations)],
    ["Entries", numberText(stats.entries)],
    ["Size", bytesText(stats.bytes)],
    ["Reclaimable", bytesText(stats.reclaimable)],
  ];
  return [
    ...facts.map(([name = "", value]) => `${out.style("bold", name.padEnd(13))} ${value}`),
    ...(stats.top.length === 0 ? [] : ["", "The longest:", ...conversationTable(out, stats.top)]),
  ];
}
