import { setTimeout as sleep } from "node:timers/promises";
import type { OpenTurn } from "../../engine/index.ts";
import { invalid } from "../../errors.ts";
import { textOf } from "../../message/text.ts";
import type { EndState, Entry, MessageEntry } from "../../message/types.ts";
import { checkProperties } from "../../message/validate.ts";
import { checkSignal, type StoreAccess } from "../access.ts";
import { endStateOf, entriesOfOpenTurn, entriesOfTurn, openTurn, stepOf } from "./turn-end.ts";

export interface FollowOptions {
  /** Where to start, in UTF-16 units of the text. Default: 0. */
  readonly from?: number;
  /** Wait for the next turn if none is in progress. Default: false. */
  readonly wait?: boolean;
  readonly signal?: AbortSignal;
}

export type FollowEvent =
  /** Streamed text, and its position in the current answer. */
  | { readonly type: "text"; readonly position: number; readonly text: string }
  /** The streamed text became part of a message, and the next answer starts at position 0. */
  | { readonly type: "part" }
  /** The turn has ended. `entry` is its answer, if there is one. */
  | { readonly type: "end"; readonly state: EndState; readonly entry: MessageEntry | undefined };

const POLL_MS = 20;
const FOLLOW_MEMBERS: ReadonlySet<string> = new Set(["from", "wait", "signal"]);

/** The text of the turn in progress, as it is streamed, from any process. Ends at once if there is none. */
export async function* follow(
  store: StoreAccess,
  conversation: string,
  options: FollowOptions,
  begun: Promise<OpenTurn | undefined>,
): AsyncGenerator<FollowEvent, void, undefined> {
  checkProperties(options, FOLLOW_MEMBERS, "options");
  const { from = 0, wait = false, signal } = options;
  checkSignal(signal);
  if (!Number.isSafeInteger(from) || from < 0) throw invalid("from must be a non-negative integer", "from");
  let position = from;
  let first = await begun;
  while (first === undefined && wait && !signal?.aborted) {
    await pause(signal);
    first = await openTurn(store, conversation);
  }
  if (first === undefined) return;
  let open: OpenTurn | undefined = { ...first, text: first.text.slice(position) };
  const turn = open.id;
  let part = open.header.part;
  while (open !== undefined && open.id === turn && !signal?.aborted) {
    if (open.header.part !== part) {
      yield* passed(await entriesOfOpenTurn(store, conversation, turn), turn, Number(part), position);
      part = open.header.part;
      position = 0;
      open = await openTurn(store, conversation, 0);
      continue;
    }
    if (open.text !== "") {
      yield { type: "text", position, text: open.text };
      position += open.text.length;
    }
    await pause(signal);
    if (signal?.aborted) return;
    open = await openTurn(store, conversation, position);
  }
  if (signal?.aborted) return;
  yield* ending(store, conversation, turn, position, Number(part));
}

/** A signal ends it early. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await sleep(POLL_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}

/** The journal was removed; the answer has the rest of the text. */
async function* ending(
  store: StoreAccess,
  conversation: string,
  turn: string,
  seen: number,
  part: number,
): AsyncGenerator<FollowEvent, void, undefined> {
  const entries = await entriesOfTurn(store, conversation, turn);
  const end = entries.at(-1);
  let position = seen;
  // The text that was read became part of another message in the meantime.
  for (const event of passed(entries, turn, part, seen)) {
    yield event;
    position = 0;
  }
  const rest = end?.message === undefined ? "" : textOf(end.message).slice(position);
  if (rest !== "") yield { type: "text", position, text: rest };
  yield {
    type: "end",
    state: (end === undefined ? undefined : endStateOf(end)) ?? "interrupted",
    entry: end?.kind === "message" ? end : undefined,
  };
}

/** The unread text of messages that took over the streamed text, and where each of them ended. */
function* passed(
  entries: readonly Entry[],
  turn: string,
  part: number,
  seen: number,
): Generator<FollowEvent, void, undefined> {
  let position = seen;
  for (const { message, operationId } of entries) {
    const step = stepOf(turn, operationId);
    if (message?.role !== "assistant" || typeof step !== "number" || step < part) continue;
    const rest = textOf(message).slice(position);
    if (rest !== "") yield { type: "text", position, text: rest };
    yield { type: "part" };
    position = 0;
  }
}
