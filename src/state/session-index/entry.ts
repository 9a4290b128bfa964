/** One line of the session index: which conversation a session key leads to, and what is known of it. */
import { invalid } from "../../errors.ts";
import { assertJson, isNonNegative, isPlainObject, type JsonObject } from "../../util/json.ts";

export type SessionChatType = "direct" | "group" | "channel" | "thread";

/** Where a session came from, as its channel told it. */
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

/** Where an answer goes. Never derived from the key. */
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
  /** The transcript, beside the index or as a whole path. */
  sessionFile?: string;
  /** The session key of the one that started it. */
  spawnedBy?: string;
  /** 0 for one that a person started. */
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
  /** `colloquy` where the entry stands for a conversation of the store, and goes when that goes. */
  managedBy?: string;
  /** What other programs wrote is kept as it is. */
  [more: string]: unknown;
}

/** Session keys, and what they lead to. */
export type SessionStore = Record<string, SessionEntry>;

/** What other code read as an entry: `undefined` when it does not say which conversation it means. */
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

/** An entry from a caller. Throws when it cannot be written. */
export function checkEntry(entry: unknown, key: string): SessionEntry {
  assertJson(entry, "entry");
  if (!isPlainObject(entry)) throw invalid(`The entry of ${key} is no object`, "entry");
  if (!isId(entry.sessionId)) throw invalid(`The entry of ${key} needs a sessionId`, "sessionId");
  if (!isNonNegative(entry.updatedAt)) {
    throw invalid(`The entry of ${key} needs updatedAt, in milliseconds since 1970`, "updatedAt");
  }
  return entry as SessionEntry & JsonObject;
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
