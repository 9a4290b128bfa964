/** Keeps what a session used in the session index, which other programs read. */
import { ColloquyError } from "../../errors.ts";
import {
  type IndexOptions,
  loadSessionStore,
  patchSessionEntry,
  type SessionEntry,
  type SessionPatch,
} from "../../state/session-index/index.ts";
import { fieldsOf } from "../../state/session-index/sync.ts";
import type { Conversation } from "../../store/conversation.ts";
import { checkMethod } from "../../util/checked-arguments.ts";
import { defined } from "../../util/json.ts";
import { addUsage, type LaterUsage, NO_USAGE, usageAfter } from "./usage.ts";

/** The facts of a conversation that a session index keeps, by their names there. */
export interface SessionUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost?: number;
  /** The last message that is counted. */
  readonly usageThrough?: string;
  /** The model that answered last. */
  readonly model?: string;
  readonly modelProvider?: string;
}

/** The values for the entry of a conversation in the session index. Reads what `counted` does not count yet. */
export async function sessionUsage(
  conversation: Conversation,
  counted?: SessionEntry | undefined,
): Promise<SessionUsage> {
  checkMethod(conversation, "info", "conversation");
  const isCounted = counted?.sessionId === conversation.id && counted.usageThrough !== undefined;
  if (!isCounted) return sumOf(undefined, await usageAfter(conversation, undefined));
  try {
    return sumOf(counted, await usageAfter(conversation, counted.usageThrough));
  } catch (error) {
    if (!(error instanceof ColloquyError) || error.code !== "NOT_FOUND") throw error;
    // That message was removed, so it is not known where to continue.
    return sumOf(undefined, await usageAfter(conversation, undefined));
  }
}

/**
 * Bring the entry of a session up to date after a run, also after one that failed: what the answers used since, and
 * `fields`. Answers are counted once, also by processes that record at the same time.
 */
export async function recordSession(
  index: IndexOptions,
  sessionKey: string,
  conversation: Conversation,
  fields: SessionPatch = {},
): Promise<void> {
  let counted: SessionEntry | undefined = loadSessionStore(index)[sessionKey];
  for (let isDone = false; !isDone; ) {
    const usage = await sessionUsage(conversation, counted);
    const own = fieldsOf(await conversation.info());
    const patch = (current: SessionEntry | undefined): SessionPatch => {
      isDone = isSame(current, counted);
      counted = current;
      return { ...fields, ...own, ...(isDone ? { ...usage, totalTokensFresh: true } : {}) };
    };
    await patchSessionEntry({ ...index, sessionKey, patch });
  }
}

function isSame(one: SessionEntry | undefined, other: SessionEntry | undefined): boolean {
  return one?.sessionId === other?.sessionId && one?.usageThrough === other?.usageThrough;
}

function sumOf(counted: SessionEntry | undefined, { usage, model, through }: LaterUsage): SessionUsage {
  const { inputTokens = 0, outputTokens = 0, cacheRead = 0, cacheWrite = 0, cost } = counted ?? {};
  const before = { inputTokens, outputTokens, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite };
  const sum = addUsage({ ...NO_USAGE, ...before, ...defined({ cost }) }, usage);
  const slash = model?.indexOf("/") ?? -1;
  return {
    inputTokens: sum.inputTokens,
    outputTokens: sum.outputTokens,
    totalTokens: sum.inputTokens + sum.outputTokens + sum.cacheReadTokens + sum.cacheWriteTokens,
    cacheRead: sum.cacheReadTokens,
    cacheWrite: sum.cacheWriteTokens,
    ...defined({ cost: sum.cost, usageThrough: through, model: model?.slice(slash + 1) }),
    ...(model === undefined || slash < 0 ? {} : { modelProvider: model.slice(0, slash) }),
  };
}
