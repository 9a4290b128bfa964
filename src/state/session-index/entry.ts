/** One entry of the session index: the conversation of a session key, and facts about it. */
import { invalid } from "../../errors.ts";
import { assertJson, isNonNegative, isPlainObject, type JsonObject } from "../../util/json.ts";

export type SessionChatType = "direct" | "group" | "channel" | "thread";

/** Where a session came from, as reported by its channel. */
export interface SessionOrigin {
  readonly label?: string;
  readonly provider?: string;
  readonly surface?: string;
  readonly chatType?: SessionChatType;
  readonly from?: string;
  readonly to?: string;
  readonly accountId?: string;
  readonly threadId?: string | number;
  readonly [more: string]: unknown;
}

/** Where an answer is sent. Never derived from the key. */
export interface DeliveryContext {
  readonly channel?: string;
  readonly to?: string;
  readonly accountId?: string;
  readonly threadId?: string | number;
  readonly [more: string]: unknown;
}

export interface SessionEntry {
  /** The conversation's id. */
  sessionId: string;
  /** Milliseconds since 1970. */
  updatedAt: number;
  /** The transcript: a name beside the index, or an absolute path. */
  sessionFile?: string;
  /** The session key of the conversation that started it. */
  spawnedBy?: string;
  /** 0 for one that the user started. */
  spawnDepth?: number;
  chatType?: SessionChatType;
  thinkingLevel?: string;
  modelOverride?: string;
  providerOverride?: string;
  authProfileOverride?: string;
  inputTokens?: number;
  outputTokens?: number;
  totalTokens?: number;
  /** Whether `totalTokens` is of the last turn. */
  totalTokensFresh?: boolean;
  cacheRead?: number;
  cacheWrite?: number;
  /** In the currency of the provider's prices. */
  cost?: number;
  /** The message up to which the counters count. */
  usageThrough?: string;
  /** The model that answered last. */
  model?: string;
  modelProvider?: string;
  compactionCount?: number;
  channel?: string;
  groupId?: string;
  origin?: SessionOrigin;
  deliveryContext?: DeliveryContext;
  lastChannel?: string;
  lastTo?: string;
  label?: string;
  /** `colloquy` for a conversation of the store. The entry is removed with it. */
  managedBy?: string;
  /** Fields of other programs are kept unchanged. */
  [more: string]: unknown;
}

/** Entries by session key. */
export type SessionStore = Record<string, SessionEntry>;

/** Parse an entry. `undefined` when it does not name its conversation. */
export function readEntry(value: unknown): SessionEntry | undefined {
  if (!isPlainObject(value)) return undefined;
  const { sessionId, updatedAt } = value;
  if (isId(sessionId) && isNonNegative(updatedAt)) return value as SessionEntry;
  const id = isId(sessionId) ? sessionId : idOfFile(value.sessionFile);
  if (id === undefined) return undefined;
  return { ...value, sessionId: id, updatedAt: isNonNegative(updatedAt) ? updatedAt : 0 };
}

/** The id in the name of a transcript. */
export function idOfFile(file: unknown): string | undefined {
  if (typeof file !== "string") return undefined;
  return /([^\\/]+)\.jsonl$/.exec(file)?.[1];
}

/** Check an entry of a caller. Throws when it cannot be written. */
export function checkEntry(entry: unknown, key: string): SessionEntry {
  assertJson(entry, "entry");
  if (!isPlainObject(entry)) throw invalid(`The entry of ${key} must be an object`, "entry");
  if (!isId(entry.sessionId)) throw invalid(`The entry of ${key} needs a sessionId`, "sessionId");
  if (!isNonNegative(entry.updatedAt)) {
    throw invalid(`The entry of ${key} needs updatedAt, in milliseconds since 1970`, "updatedAt");
  }
  return entry as SessionEntry & JsonObject;
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
