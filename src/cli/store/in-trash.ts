/** Errors about conversations that are in the trash. */
import type { ConversationInfo } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import type { Call } from "../command.ts";
import { nextCommand } from "../invocation.ts";
import { findConversation, keyOf } from "./find-conversation.ts";

/**
 * The trashed conversations that a reference means, most recently deleted first. Several may have had a key; any
 * other reference means one.
 */
export async function trashedAs(call: Call, store: Store, reference: string): Promise<ConversationInfo[]> {
  const all = await Array.fromAsync(store.list({ trash: true }));
  const names = [reference, keyOf(store, reference)];
  const exact = all.filter(({ id, key }) => names.includes(id) || names.includes(key ?? ""));
  if (exact.length > 0) {
    return exact.sort((a, b) => Date.parse(b.deletedAt ?? "") - Date.parse(a.deletedAt ?? ""));
  }
  const meant = await findConversation(call, store, reference, true);
  return all.filter(({ id }) => id === meant);
}

/** The command that restores it, or lists the candidates. */
function wayBack({ values }: Call, trashed: readonly ConversationInfo[]): string {
  const [only] = trashed;
  const words = only !== undefined && trashed.length === 1 ? `restore ${only.id}` : "list --trash";
  return nextCommand(`sessions ${words}`, values);
}

export async function inTrash(
  call: Call,
  store: Store,
  reference: string,
): Promise<ColloquyError | undefined> {
  const trashed = await trashedAs(call, store, reference);
  if (trashed.length === 0) return undefined;
  const what =
    trashed.length === 1
      ? `${reference} is in the trash. To restore it`
      : `${trashed.length} conversations in the trash had the key ${reference}. To list them`;
  return new ColloquyError("NOT_FOUND", `${what}: ${wayBack(call, trashed)}`);
}
