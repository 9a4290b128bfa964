import { setTimeout as sleep } from "node:timers/promises";
import type { OpenTurn } from "../engine/engine.ts";
import { invalid } from "../errors.ts";
import { textOf } from "../message/text.ts";
import type { EndState, Entry } from "../message/types.ts";
import { checkMembers } from "../message/validate.ts";
import type { JsonObject } from "../util/json.ts";
import type { StoreAccess } from "./access.ts";
import { entriesOfTurn, openTurn } from "./turn-end.ts";

export interface FollowOptions {
  /** Where to start, in UTF-16 units of the text. Default 0. */
  readonly from?: number;
  readonly signal?: AbortSignal;
}

export type FollowEvent =
  /** Text that was streamed, and where it begins in the answer under way. */
  | { readonly type: "text"; readonly position: number; readonly text: string }
  /** What was streamed has become part of a message, and the next answer begins at position 0. */
  | { readonly type: "part" }
  /** The turn has ended. `entry` is its answer, if there is one. */
  | { readonly type: "end"; readonly state: EndState; readonly entry: Entry | undefined };

const POLL_MS = 20;
const FOLLOW_MEMBERS: ReadonlySet<string> = new Set(["from", "signal"]);

/** The text of the turn that is under way, as it comes, from any process. Ends at once when there is none. */
export async function* follow(
  store: StoreAccess,
  conversation: string,
  options: FollowOptions,
  begun: OpenTurn | undefined,
): AsyncGenerator<FollowEvent, void, undefined> {
  checkMembers(options, FOLLOW_MEMBERS, "options");
  const { from = 0, signal } = options;
  if (!Number.isSafeInteger(from) || from < 0) throw invalid("from must be a whole number", "from");
  let position = from;
  if (begun === undefined) return;
  let open: OpenTurn | undefined = { ...begun, text: begun.text.slice(position) };
  const turn = open.id;
  let part = open.header.part;
  while (open !== undefined && open.id === turn && !signal?.aborted) {
    if (open.header.part !== part) {
      part = open.header.part;
      yield { type: "part" };
      position = 0;
      open = await openTurn(store, conversation, 0);
      continue;
    }
    if (open.text !== "") {
      yield { type: "text", position, text: open.text };
      position += open.text.length;
    }
    await sleep(POLL_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
    if (signal?.aborted) return;
    open = await openTurn(store, conversation, position);
  }
  if (signal?.aborted) return;
  yield* ending(store, conversation, turn, position, Number(part));
}

/** The journal is gone; what was not seen of the text stands in the answer. */
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
  // The text that was seen became part of another message while nobody looked.
  if (position > 0 && entries.some((entry) => tookText(entry, turn, part))) {
    yield { type: "part" };
    position = 0;
  }
  const rest = end?.message === undefined ? "" : textOf(end.message).slice(position);
  if (rest !== "") yield { type: "text", position, text: rest };
  const noted = (end?.data as JsonObject | undefined)?.state as EndState | undefined;
  yield {
    type: "end",
    state: end?.message?.endState ?? noted ?? "interrupted",
    entry: end?.message === undefined ? undefined : end,
  };
}

/** Was it added in or after this part, and so took what had been streamed? */
function tookText({ message, operationId }: Entry, turn: string, part: number): boolean {
  return message?.role === "assistant" && Number(operationId?.slice(turn.length + 1)) >= part;
}
