/** Hits as text, by conversation. */
import type { MessageEntry } from "../../../message/types.ts";
import type { SearchHit } from "../../../store/index.ts";
import { cut, pad, widthOf } from "../../../util/text-width.ts";
import { safeLine } from "../../../util/visible-text.ts";
import { roleStyle } from "../../terminal/colours.ts";
import { cutNames } from "../../terminal/cut-names.ts";
import type { Surface } from "../../terminal/table.ts";
import { timeAgo } from "../../terminal/time-ago.ts";
import { nameOf, titleOf } from "../../view/conversation-view.ts";
import { summaryOf } from "../../view/message-view.ts";
import type { Found, FoundConversation } from "./found.ts";
import { highlighted } from "./highlighted.ts";

const NAME_COLUMNS_MIN = 12;
const TITLE_COLUMNS_MIN = 8;
const CONTEXT_COLUMNS_MAX = 200;
const GAP = "  ";

/** The conversations are rows that `#1`, `#2` … refer to. */
export function foundLines(out: Surface, conversations: readonly FoundConversation[]): string[] {
  const names = cutNames(conversations.map(nameOf), Math.max(NAME_COLUMNS_MIN, Math.floor(out.columns / 2)));
  return conversations.flatMap((conversation, index) => [
    ...(index === 0 ? [] : [""]),
    heading(out, conversation, `#${index + 1}`, names[index] ?? ""),
    ...hitLines(out, conversation.found),
  ]);
}

function heading(out: Surface, conversation: FoundConversation, row: string, name: string): string {
  const room = out.columns - widthOf(`${GAP}${row}${GAP}${name}`);
  const title = cut(titleOf(conversation) || "–", Math.max(TITLE_COLUMNS_MIN, room));
  return [
    out.style(conversation.title?.trim() ? "bold" : "dim", title),
    out.style("cyan", row),
    out.style("dim", name),
  ].join(GAP);
}

/** Without context, the best hit first; with it, in the order of the conversation. */
function hitLines(out: Surface, found: readonly Found[]): string[] {
  const hasContext = found.some(({ before, after }) => before.length + after.length > 0);
  const numbers = found.flatMap(({ hit, before, after }) => [
    hit.seq ?? 0,
    ...[...before, ...after].map(({ seq }) => seq),
  ]);
  const width = String(Math.max(...numbers)).length;
  if (!hasContext) return found.flatMap(({ hit }) => hitText(out, hit, width));
  const lines: string[] = [];
  const hits = new Map(found.map(({ hit }) => [hit.entry, hit]));
  const shown = new Set<string | null>();
  for (const { hit, before, after } of found.toSorted((a, b) => (a.hit.seq ?? 0) - (b.hit.seq ?? 0))) {
    const ids = [...before.map(({ id }) => id), hit.entry];
    if (shown.size > 0 && !ids.some((id) => shown.has(id))) lines.push(out.style("dim", `${GAP}…`));
    for (const part of [...before, hit, ...after]) {
      const id = "entry" in part ? part.entry : part.id;
      if (shown.has(id)) continue;
      shown.add(id);
      const own = "entry" in part ? part : hits.get(part.id);
      lines.push(
        ...(own === undefined ? contextText(out, part as MessageEntry, width) : hitText(out, own, width)),
      );
    }
  }
  return lines;
}

function hitText(out: Surface, hit: SearchHit, width: number): string[] {
  const number = pad(hit.seq === null ? "" : String(hit.seq), width, "right");
  const facts = [
    out.style(roleStyle(hit.role ?? undefined), hit.role ?? "title"),
    timeAgo(hit.at),
    ...(hit.active ? [] : [`branch ${safeLine(hit.branch)}`]),
  ];
  const indent = " ".repeat(GAP.length + width + GAP.length);
  const lines = highlighted(out, hit.snippet, hit.highlights, Math.max(1, out.columns - indent.length));
  return [`${GAP}${number}${GAP}${facts.join(" · ")}`, ...lines.map((line) => `${indent}${line}`)];
}

function contextText(out: Surface, entry: MessageEntry, width: number): string[] {
  const text = `${entry.message.role} · ${safeLine(summaryOf(entry)).replaceAll(/\s+/g, " ").trim()}`;
  const number = pad(String(entry.seq), width, "right");
  const room = Math.min(CONTEXT_COLUMNS_MAX, out.columns - 2 * GAP.length - width);
  return [out.style("dim", `${GAP}${number}${GAP}${cut(text, Math.max(1, room))}`)];
}
