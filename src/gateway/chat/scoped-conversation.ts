import { ColloquyError } from "../../errors.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import { isInScope, type Principal } from "../auth/principal.ts";
import { openedConversation } from "../opened-conversation.ts";

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
  throw noConversation();
}

function noConversation(): ColloquyError {
  return new ColloquyError("NOT_FOUND", "There is no such conversation", { field: "conversation" });
}

/** The same for a write, which the store refuses if there is no conversation any more. To open it would cost as much. */
export async function writtenConversation(
  store: Store,
  principal: Pick<Principal, "scope">,
  reference: string,
): Promise<Conversation> {
  // A conversation can move out of a scope at any time.
  if (principal.scope !== null) return scopedConversation(store, principal, reference);
  const conversation = await openedConversation(store, reference);
  if (conversation === undefined) throw noConversation();
  return conversation;
}
