/**
 * Messages to send to a model or to show in a chat window.
 *
 * These formats are lists, and the programs that read them reject a call
 * without its result, so tool pairs are completed first. That needs the whole
 * path at once: a result may have come late.
 */
import { type ContextItem, repairToolPairs } from "../../../context/index.ts";
import { toUiMessages, type UiItem } from "../../../message/apis/ai-sdk-ui.ts";
import { toAnthropic } from "../../../message/apis/anthropic.ts";
import { toOpenAIRequest } from "../../../message/apis/openai.ts";
import type { Snapshot } from "../../../store/read/snapshot.ts";
import { type Cleaner, isLeftOut } from "../cleaning.ts";
import type { Wanted } from "../options.ts";

export async function* chatMessages(
  snapshot: Snapshot,
  wanted: Wanted,
  cleaner: Cleaner,
): AsyncGenerator<string, void, undefined> {
  const items = await completeItems(snapshot, wanted, cleaner);
  if (wanted.to === "ai-sdk") {
    yield* list("[", toUiMessages(items), "]\n");
    return;
  }
  const sent = items.map(({ message }) => message);
  if (wanted.to === "openai") {
    yield* list('{ "messages": [', toOpenAIRequest(sent).messages, "] }\n");
    return;
  }
  const { system, messages } = toAnthropic(sent);
  const start = system === undefined ? "{ " : `{ "system": ${JSON.stringify(system)}, `;
  yield* list(`${start}"messages": [`, messages, "] }\n");
}

async function completeItems(snapshot: Snapshot, wanted: Wanted, cleaner: Cleaner): Promise<UiItem[]> {
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

function* list(start: string, values: Iterable<object>, end: string): Generator<string, void, undefined> {
  yield start;
  let separator = "\n  ";
  for (const value of values) {
    yield separator + JSON.stringify(value);
    separator = ",\n  ";
  }
  yield `\n${end}`;
}
