import { activeAt, type ConversationInfo } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import { type Claim, keyOfLeft, keyOfOlder, settleClaims, splitMark } from "../../key/copies.ts";
import { isoTime, timeOf } from "../../util/time.ts";
import type { StoreAccess } from "../access.ts";

/** A conversation that has another key now, because a newer one has its own. */
export interface Replaced {
  readonly id: string;
  readonly key: string;
}

/**
 * A new conversation is marked as the older one while another has its session
 * key. If it was used later, they change places. Returns the former holder then.
 */
export async function claimKey(store: StoreAccess, conversation: string): Promise<Replaced | undefined> {
  const info = await store.ask((engine) => engine.byId(conversation));
  const [key, mark] = splitMark(info?.key ?? "");
  if (info === undefined || mark === "") return undefined;
  const holder = await store.ask((engine) => engine.byKey(key));
  if (holder !== undefined && settleClaims([claimOf(info, key), claimOf(holder, key)])[0] !== key)
    return undefined;
  const rename = async (id: string, to: string): Promise<void> => {
    const at = isoTime(store.nowMs());
    await store.queue.push({ type: "set-key", conversation: id, key: to, at });
  };
  const replaced = holder && { id: holder.id, key: keyOfOlder(key, holder.id) };
  try {
    if (replaced !== undefined) await rename(replaced.id, replaced.key);
    await rename(conversation, key);
  } catch (error) {
    // Another process has taken the key, or the holder is in a file that must not be rewritten.
    if (!(error instanceof ColloquyError) || !TOLERATED.has(error.code)) throw error;
    return undefined;
  }
  return replaced;
}

/**
 * A source says that a session key leads to this conversation now, and not to the one that has it. That one is
 * marked as left, if it came from the same kind of source: a key of another is never taken. Returns it then.
 * `onlyIfFree`: no conversation loses it.
 */
export async function moveKey(
  store: StoreAccess,
  conversation: string,
  key: string,
  onlyIfFree: boolean,
): Promise<Replaced | undefined> {
  const info = await store.ask((engine) => engine.byId(conversation));
  if (info === undefined || info.key === key) return undefined;
  const holder = await store.ask((engine) => engine.byKey(key));
  if (holder !== undefined && (onlyIfFree || holder.channel !== info.channel)) return undefined;
  try {
    if (holder !== undefined) await freeKey(store, holder.id, key);
    const at = isoTime(store.nowMs());
    await store.queue.push({ type: "set-key", conversation, key, at });
  } catch (error) {
    if (!(error instanceof ColloquyError) || !TOLERATED.has(error.code)) throw error;
    return undefined;
  }
  return holder && { id: holder.id, key: keyOfLeft(key, holder.id) };
}

/** Mark the holder of a key as one that was left, so that a new conversation can have it. */
export async function freeKey(store: StoreAccess, holder: string, key: string): Promise<void> {
  const at = isoTime(store.nowMs());
  await store.queue.push({ type: "set-key", conversation: holder, key: keyOfLeft(key, holder), at });
}

const TOLERATED: ReadonlySet<string> = new Set(["CONFLICT", "NOT_FOUND", "NOT_SUPPORTED"]);

function claimOf(info: ConversationInfo, key: string): Claim {
  return { key, sessionId: info.id, updatedAt: timeOf(activeAt(info)) };
}
