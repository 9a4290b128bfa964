/** Errors about conversations that are in the trash. */
import type { ConversationInfo } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import type { Call } from "../command.ts";
import { nextCommand } from "../invocation.ts";

/** The trashed conversations with this id or former session key, most recently deleted first. */
export async function trashedAs(store: Store, reference: string): Promise<ConversationInfo[]> {
  const names = [reference, ...(reference.includes(":") ? [store.resolveKey(reference)] : [])];
  const found: ConversationInfo[] = [];
  for await (const info of store.list({ trash: true })) {
    if (names.includes(info.id) || (info.key !== null && names.includes(info.key))) found.push(info);
  }
  return found.sort((a, b) => Date.parse(b.deletedAt ?? "") - Date.parse(a.deletedAt ?? ""));
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
  const trashed = await trashedAs(store, reference);
  if (trashed.length === 0) return undefined;
  const what =
    trashed.length === 1
      ? `${reference} is in the trash. To restore it`
      : `${trashed.length} conversations in the trash had the key ${reference}. To list them`;
  return new ColloquyError("NOT_FOUND", `${what}: ${wayBack(call, trashed)}`);
}
