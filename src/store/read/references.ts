/** The conversations that callers mean by an id or a session key. */
import type { ConversationInfo } from "../../engine/index.ts";
import { checkConversationId } from "../../message/validate.ts";
import type { StoreAccess } from "../access.ts";
import { listAll, listPage } from "./conversation-pages.ts";
import { byKey } from "./session-keys.ts";

/** A reference that contains ":" is a session key, any other one an id. */
export function isKey(idOrKey: unknown): idOrKey is string {
  return typeof idOrKey === "string" && idOrKey.includes(":");
}

/** One that is not in the trash. */
export async function findConversation(
  store: StoreAccess,
  idOrKey: string,
): Promise<ConversationInfo | undefined> {
  const info = await infoOfAny(store, idOrKey);
  return info?.deletedAt === null ? info : undefined;
}

/** By its id also one that is in the trash. */
export async function infoOfAny(store: StoreAccess, idOrKey: string): Promise<ConversationInfo | undefined> {
  if (isKey(idOrKey)) return byKey(store, idOrKey);
  const id = checkConversationId(idOrKey);
  return store.ask((engine) => engine.byId(id));
}

/** The most recently deleted conversation that had the key. Several in the trash may have had it. */
export async function deletedWith(store: StoreAccess, key: string): Promise<string | undefined> {
  const forms = store.keys.forms(key);
  const query = { trash: true };
  let last: ConversationInfo | undefined;
  for await (const info of listAll(store, query, listPage(store, query))) {
    const had = info.key !== null && forms.includes(info.key);
    if (had && (info.deletedAt ?? "") > (last?.deletedAt ?? "")) last = info;
  }
  return last?.id;
}
