/**
 * A run and the turns it is made of.
 *
 * The first turn has the operation id of the run, later ones `<id>~2`, `<id>~3` …: each continues where the one
 * before was interrupted. A turn that finished, or was stopped, ends the run.
 */
import { invalid } from "../../errors.ts";
import { blocksOf, isToolResult, isToolUse } from "../../message/blocks.ts";
import type { MessageEntry, ToolUseBlock } from "../../message/types.ts";
import { checkOperationId } from "../../message/validate.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Turn, TurnOptions } from "../../store/turns/turn.ts";
import { defined } from "../../util/json.ts";

export interface Attempt {
  /** Running, or the one that ended the run. */
  readonly turn: Turn;
  /** Messages of the turns before it. */
  readonly earlier: readonly MessageEntry[];
  /** Ids of tool calls that may have run, although they have no result. */
  readonly started: ReadonlySet<string>;
}

const RUN_ID_BYTES_MAX = 200;
const SUFFIX = /~[0-9]+$/;

/** A run must not be mistaken for a later turn of another one. */
export function isRunId(id: string): boolean {
  return !SUFFIX.test(id) && Buffer.byteLength(id) <= RUN_ID_BYTES_MAX;
}

export function checkRunId(operationId: string): string {
  const id = checkOperationId(operationId);
  if (isRunId(id)) return id;
  throw invalid(
    `Invalid operation id: the id of a run has at most ${RUN_ID_BYTES_MAX} bytes and does not end with ~ and a number`,
    "operationId",
  );
}

/** Without the id of a run, it is a new one. */
export async function beginAttempt(
  conversation: Conversation,
  run: string | undefined,
  options: Omit<TurnOptions, "operationId">,
): Promise<Attempt> {
  if (run === undefined)
    return { turn: await conversation.beginTurn(options), earlier: [], started: new Set() };
  const earlier: MessageEntry[] = [];
  const started = new Set<string>();
  let branch: string | undefined;
  for (let number = 1; ; number++) {
    const operationId = number === 1 ? run : `${run}~${number}`;
    const turn = await conversation.beginTurn({ ...options, operationId, ...defined({ branch }) });
    if (turn.state !== "interrupted") return { turn, earlier, started };
    // Another one may be checked out by now.
    branch = await turn.branch();
    earlier.push(...turn.entries);
    if (typeof turn.noted?.tool === "string") started.add(turn.noted.tool);
  }
}

/** The run that wrote an entry; `undefined` if no run did. */
export async function runOf(
  conversation: Conversation,
  { operationId = "" }: MessageEntry,
): Promise<string | undefined> {
  const turn = /^(.+)\/(?:[1-9][0-9]*|end)$/s.exec(operationId)?.[1];
  if (turn === undefined) return undefined;
  // The operation id of any other append may look the same.
  const isTurn =
    (await conversation.entry(`${turn}/end`)) !== undefined || (await conversation.turn())?.id === turn;
  return isTurn ? turn.replace(SUFFIX, "") : undefined;
}

/** The last step of a conversation, if some of its tool calls have no result. */
export interface OpenStep {
  readonly entry: MessageEntry;
  readonly calls: readonly ToolUseBlock[];
}

const PAGE = 16;

/** Reads backwards to the last message of a model: only its calls can be open. Default: the checked-out branch. */
export async function openStepOf(conversation: Conversation, branch?: string): Promise<OpenStep | undefined> {
  const answered = new Set<string>();
  let page = await conversation.messages({ last: PAGE, blobs: "references", ...defined({ branch }) });
  for (;;) {
    for (const entry of page.items.toReversed()) {
      const blocks = blocksOf(entry.message);
      if (entry.message.role !== "assistant") {
        for (const block of blocks) if (isToolResult(block)) answered.add(block.tool_use_id);
        continue;
      }
      const calls = blocks.filter(isToolUse).filter(({ id }) => !answered.has(id));
      return calls.length === 0 ? undefined : { entry, calls };
    }
    if (page.cursor === null) return undefined;
    page = await conversation.messages({ cursor: page.cursor, limit: PAGE, blobs: "references" });
  }
}
