/** What to say about a conversation that was deleted. */
import type { ConversationInfo } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import type { Call } from "../command.ts";
import { nextCommand } from "../invocation.ts";

/** Those in the trash that have this id, or had this session key. */
export async function trashedAs(store: Store, reference: string): Promise<ConversationInfo[]> {
  const found: ConversationInfo[] = [];
  for await (const info of store.list({ trash: true })) {
    if (info.id === reference || info.key === reference) found.push(info);
  }
  return found;
}

/** How to get one of them back. */
export function wayBack({ values }: Call, trashed: readonly ConversationInfo[]): string {
  const [only] = trashed;
  const words = only !== undefined && trashed.length === 1 ? `restore ${only.id}` : "list --trash";
  return nextCommand(`sessions ${words}`, values);
}

export async function inTrash(
  call: Call,
  store: Store,
  reference: string,
): Promise<ColloquyError | undefined> {
  const trashed = await trashedAs(store, reference);
  if (trashed.length === 0) return undefined;
  const what =
    trashed.length === 1
      ? `${reference} is in the trash. To take it out`
      : `${trashed.length} conversations that were called ${reference} are in the trash. To see them`;
  return new ColloquyError("NOT_FOUND", `${what}: ${wayBack(call, trashed)}`);
}
