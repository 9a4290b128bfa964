import { ColloquyError } from "../../errors.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import { isUuid } from "../../util/uuid.ts";
import { isInScope, type Principal } from "../auth/principal.ts";

const KNOWN_MAX = 1000;
const known = new WeakMap<Store, Map<string, Conversation>>();

/** A conversation that somebody may see. Others do not exist for them. */
export async function scopedConversation(
  store: Store,
  { scope }: Pick<Principal, "scope">,
  reference: string,
): Promise<Conversation> {
  const conversation = await store.get(reference);
  if (conversation !== undefined) {
    if (scope === null || isInScope(scope, await conversation.info())) return conversation;
  }
  throw new ColloquyError("NOT_FOUND", "There is no such conversation", { field: "conversation" });
}

/**
 * The same for a write that the store refuses if there is no conversation: one that was found before is not looked up
 * again, which would cost as much as the write. A key can move to another conversation, and a conversation out of a
 * scope, so both are always looked up.
 */
export async function writtenConversation(
  store: Store,
  principal: Pick<Principal, "scope">,
  reference: string,
): Promise<Conversation> {
  if (principal.scope !== null || !isUuid(reference)) return scopedConversation(store, principal, reference);
  const found = known.get(store) ?? new Map<string, Conversation>();
  known.set(store, found);
  const conversation = found.get(reference) ?? (await scopedConversation(store, principal, reference));
  if (found.size >= KNOWN_MAX) found.clear();
  found.set(reference, conversation);
  return conversation;
}
