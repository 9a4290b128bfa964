/** Conversations as tables and as JSON. */
import type { ConversationInfo } from "../../engine/index.ts";
import type { ListedConversation } from "../../store/index.ts";
import { safeLine } from "../../util/visible-text.ts";
import type { Output } from "../output.ts";
import { numberText } from "../terminal/count-text.ts";
import { type Column, type Surface, table } from "../terminal/table.ts";
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

/** The title, or the first words of the user. */
export function titleOf({ title, firstWords }: Pick<ListedConversation, "title" | "firstWords">): string {
  return [title, firstWords].map((text) => safeLine(text ?? "").trim()).find((text) => text !== "") ?? "";
}

export function conversationTable(out: Surface, items: readonly ListedConversation[]): string[] {
  return listTable(out, items, ["CONVERSATION", nameOf], ["LAST", ({ lastMessageAt }) => lastMessageAt]);
}

/** By id: a conversation in the trash has released its session key, and another one may have had the same. */
export function trashTable(out: Surface, items: readonly ListedConversation[]): string[] {
  const key: Column = { title: "KEY", rank: 3, min: 12, names: true };
  return listTable(
    out,
    items,
    ["ID", ({ id }) => id],
    ["DELETED", ({ deletedAt }) => deletedAt],
    [key, (info) => safeLine(info.key ?? "–")],
  );
}

type Cells<T, Title = string> = readonly [title: Title, cell: (info: ListedConversation) => T];

/** Rows that `#1`, `#2` … refer to. */
function listTable(
  out: Surface,
  items: readonly ListedConversation[],
  [nameTitle, name]: Cells<string>,
  [timeTitle, time]: Cells<string | null>,
  ...more: readonly Cells<string, Column>[]
): string[] {
  return table(
    out,
    [
      { title: "TITLE", rank: 0, min: 8, style: (row) => (items[row]?.title ? undefined : "dim") },
      { title: "#", rank: 0, style: () => "cyan" },
      { title: nameTitle, rank: 1, min: 12, names: true },
      { title: timeTitle, rank: 2 },
      ...more.map(([column]) => column),
      { title: "MESSAGES", rank: 4, align: "right" },
    ],
    items.map((info, index) => [
      titleOf(info) || "–",
      `#${index + 1}`,
      name(info),
      timeAgo(time(info)),
      ...more.map(([, cell]) => cell(info)),
      numberText(info.messageCount),
    ]),
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
