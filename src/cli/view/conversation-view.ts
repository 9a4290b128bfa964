/** Conversations as tables and as JSON. */
import type { ConversationInfo } from "../../engine/index.ts";
import { safeLine } from "../../util/visible-text.ts";
import type { Output } from "../output.ts";
import { numberText } from "../terminal/count-text.ts";
import { table } from "../terminal/table.ts";
import { timeAgo } from "../terminal/time-ago.ts";

/** The ten properties that `--json` promises. */
export function infoJson(info: ConversationInfo): Record<string, unknown> {
  const { id, key, title, channel, model, messageCount, branchCount } = info;
  const { createdAt, updatedAt, lastMessageAt } = info;
  return { id, key, title, channel, model, messageCount, branchCount, createdAt, updatedAt, lastMessageAt };
}

export function trashJson(info: ConversationInfo): Record<string, unknown> {
  return { ...infoJson(info), deletedAt: info.deletedAt };
}

/** How to refer to it on the command line. */
export function nameOf({ key, id }: Pick<ConversationInfo, "key" | "id">): string {
  return safeLine(key ?? id);
}

export function conversationTable(out: Output, items: readonly ConversationInfo[]): string[] {
  return table(
    out,
    [
      { title: "CONVERSATION", rank: 0, min: 12 },
      { title: "LAST", rank: 2 },
      { title: "MESSAGES", rank: 3, align: "right" },
      { title: "TITLE", rank: 1, min: 8 },
    ],
    items.map((info) => [
      nameOf(info),
      timeAgo(info.lastMessageAt),
      numberText(info.messageCount),
      safeLine(info.title ?? ""),
    ]),
  );
}

/** In a narrower terminal ids are cut, because they would leave no room for anything else. */
export const TRASH_COLUMNS_MIN = 60;

/** By id, because a trashed conversation has released its session key, and `restore` needs the whole id. */
export function trashTable(out: Output, items: readonly ConversationInfo[]): string[] {
  if (out.columns < TRASH_COLUMNS_MIN) return narrowTrashTable(out, items);
  return table(
    out,
    [
      { title: "ID", rank: 0 },
      { title: "DELETED", rank: 2 },
      { title: "MESSAGES", rank: 3, align: "right" },
      { title: "WAS", rank: 1, min: 8 },
    ],
    items.map((info) => [
      info.id,
      timeAgo(info.deletedAt),
      numberText(info.messageCount),
      safeLine(info.title ?? info.key ?? ""),
    ]),
  );
}

function narrowTrashTable(out: Output, items: readonly ConversationInfo[]): string[] {
  return table(
    out,
    [
      { title: "WAS", rank: 0, min: 8 },
      { title: "DELETED", rank: 1 },
      { title: "ID", rank: 2, min: 9 },
    ],
    items.map((info) => [safeLine(info.title ?? info.key ?? "–"), timeAgo(info.deletedAt), info.id]),
  );
}

/** The properties of a conversation, one per line. */
export function infoLines(out: Output, info: ConversationInfo, branch: string): string[] {
  const facts: readonly (readonly [string, string | null])[] = [
    ["Title", info.title],
    ["Id", info.id],
    ["Key", info.key],
    ["Channel", info.channel],
    ["Model", info.model],
    ["Messages", numberText(info.messageCount)],
    ["Branch", info.branchCount > 1 ? `${branch}, one of ${numberText(info.branchCount)}` : null],
    ["Created", timeAgo(info.createdAt)],
    ["Last", info.lastMessageAt === null ? null : timeAgo(info.lastMessageAt)],
    ["Head", info.head],
  ];
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [`${out.style("bold", name.padEnd(9))} ${safeLine(value)}`],
  );
}
