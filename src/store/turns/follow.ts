import type { OpenTurn } from "../../engine/index.ts";
import { invalid } from "../../errors.ts";
import { textOf } from "../../message/text.ts";
import type { EndState, Entry, MessageEntry } from "../../message/types.ts";
import { checkProperties } from "../../message/validate.ts";
import { checkSignal, type StoreAccess } from "../access.ts";
import { afterWords } from "./streamed-words.ts";
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
  using listener = store.wakes.listen();
  let open = await begun;
  while (open === undefined && wait && !signal?.aborted) {
    await listener.pause(signal);
    open = await openTurn(store, conversation);
  }
  if (open === undefined) return;
  const turn = open.id;
  let part = open.header.part;
  const answer = new Answer(from);
  while (open !== undefined && open.id === turn && !signal?.aborted) {
    if (open.header.part !== part) {
      yield* passed(await entriesOfOpenTurn(store, conversation, turn), turn, Number(part), answer);
      part = open.header.part;
      answer.restart();
      open = await openTurn(store, conversation, 0);
      continue;
    }
    if (open.text !== "") listener.found();
    yield* answer.add(open.text);
    await listener.pause(signal);
    if (signal?.aborted) return;
    open = await openTurn(store, conversation, answer.seen.length);
  }
  if (signal?.aborted) return;
  yield* ending(store, conversation, turn, answer, Number(part));
}

/** What a follower knows of the current answer. */
class Answer {
  /** Where the follower started. */
  #from: number;
  #seen = "";

  constructor(from: number) {
    this.#from = from;
  }

  /** All its text so far, including that before the start. */
  get seen(): string {
    return this.#seen;
  }

  *add(text: string): Generator<FollowEvent, void, undefined> {
    const position = Math.max(this.#from, this.#seen.length);
    const unread = text.slice(position - this.#seen.length);
    this.#seen += text;
    if (unread !== "") yield { type: "text", position, text: unread };
  }

  restart(): void {
    this.#from = 0;
    this.#seen = "";
  }
}

/** The journal was removed; the answer has the rest of the text. */
async function* ending(
  store: StoreAccess,
  conversation: string,
  turn: string,
  answer: Answer,
  part: number,
): AsyncGenerator<FollowEvent, void, undefined> {
  const entries = await entriesOfTurn(store, conversation, turn);
  const end = entries.at(-1);
  // The text that was read became part of another message in the meantime.
  yield* passed(entries, turn, part, answer);
  if (end?.message !== undefined) yield* answer.add(afterWords(textOf(end.message), answer.seen));
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
  answer: Answer,
): Generator<FollowEvent, void, undefined> {
  for (const { message, operationId } of entries) {
    const step = stepOf(turn, operationId);
    if (message?.role !== "assistant" || typeof step !== "number" || step < part) continue;
    yield* answer.add(afterWords(textOf(message), answer.seen));
    yield { type: "part" };
    answer.restart();
  }
}
