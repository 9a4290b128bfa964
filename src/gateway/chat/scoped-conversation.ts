import { ColloquyError } from "../../errors.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import { isInScope, type Principal } from "../auth/principal.ts";

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
