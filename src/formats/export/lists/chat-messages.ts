/**
 * Messages to send to a model or to put into a chat window.
 *
 * These formats are lists, and the programs that take them refuse a call
 * without its result, so pairs are made whole first. That needs the whole path
 * at once: a result may have come late.
 */
import { type ContextItem, repairToolPairs } from "../../../context/index.ts";
import { toClaude } from "../../../message/claude.ts";
import { toOpenAI } from "../../../message/openai.ts";
import { textOf } from "../../../message/text.ts";
import type { Message } from "../../../message/types.ts";
import { type Cleaner, isLeftOut } from "../cleaning.ts";
import type { Wanted } from "../options.ts";
import type { Snapshot } from "../snapshot.ts";
import { uiMessages } from "./ai-sdk.ts";

/** A message with the time of its entry. */
export interface SentItem extends ContextItem {
  readonly at: string;
}

export async function* chatMessages(
  snapshot: Snapshot,
  wanted: Wanted,
  cleaner: Cleaner,
): AsyncGenerator<string, void, undefined> {
  const items = await whole(snapshot, wanted, cleaner);
  if (wanted.to === "ai-sdk") yield* list("[", uiMessages(items), "]\n");
  else if (wanted.to === "openai") {
    yield* list(
      '{ "messages": [',
      each(items, (message) => toOpenAI([message])),
      "] }\n",
    );
  } else {
    const { system, rest } = lifted(items);
    const start = system === "" ? "{ " : `{ "system": ${JSON.stringify(system)}, `;
    yield* list(
      `${start}"messages": [`,
      each(rest, (message) => toClaude([message])),
      "] }\n",
    );
  }
}

async function whole(snapshot: Snapshot, wanted: Wanted, cleaner: Cleaner): Promise<SentItem[]> {
  const items: ContextItem[] = [];
  const times = new Map<string, string>();
  for await (const entry of snapshot.path(snapshot.branch(wanted.branch))) {
    const { id, at, message } = cleaner.entry(entry);
    if (message === undefined || isLeftOut(message)) continue;
    items.push({ id, message });
    times.set(id, at);
  }
  return repairToolPairs(items).items.map((item) => ({ ...item, at: times.get(item.id) ?? "" }));
}

/** System messages at the beginning have a place of their own there. */
function lifted(items: readonly SentItem[]): { readonly system: string; readonly rest: readonly SentItem[] } {
  const first = items.findIndex(({ message }) => message.role !== "system");
  const count = first === -1 ? items.length : first;
  const system = items.slice(0, count).map(({ message }) => textOf(message));
  return { system: system.join("\n\n"), rest: items.slice(count) };
}

function* each(
  items: readonly SentItem[],
  convert: (message: Message) => readonly object[],
): Generator<object, void, undefined> {
  for (const { message } of items) yield* convert(message);
}

function* list(start: string, values: Iterable<object>, end: string): Generator<string, void, undefined> {
  yield start;
  let separator = "\n  ";
  for (const value of values) {
    yield separator + JSON.stringify(value);
    separator = ",\n  ";
  }
  yield `\n${end}`;
}
