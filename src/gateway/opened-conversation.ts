/**
 * Conversations that were opened a moment ago. Opening one asks the store twice, whether it exists and whether an
 * answer was cut off in it, and a client reads many pages of the same one, or appends to it again and again.
 */
import type { Conversation } from "../store/index.ts";
import type { Store } from "../store/store.ts";
import { isUuid } from "../util/uuid.ts";

const RECENT_MS = 1000;
const KEPT_MAX = 1000;

interface Opened {
  readonly conversation: Conversation;
  readonly untilMs: number;
}

const opened = new WeakMap<Store, Map<string, Opened>>();

/** `undefined` if there is none. One that was deleted since is found out by the first question to it. */
export async function openedConversation(store: Store, idOrKey: string): Promise<Conversation | undefined> {
  // A session key can mean another conversation at any time.
  if (!isUuid(idOrKey)) return store.get(idOrKey);
  const known = opened.get(store) ?? new Map<string, Opened>();
  opened.set(store, known);
  const recent = known.get(idOrKey);
  if (recent !== undefined && performance.now() < recent.untilMs) return recent.conversation;
  known.delete(idOrKey);
  const conversation = await store.get(idOrKey);
  if (conversation === undefined) return undefined;
  known.set(idOrKey, { conversation, untilMs: performance.now() + RECENT_MS });
  if (known.size > KEPT_MAX) known.delete(known.keys().next().value ?? "");
  return conversation;
}
