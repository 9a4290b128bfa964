/** Conversations on their way into the trash, back, and out of the store. */
import { type ConversationInfo, notFound } from "../../engine/index.ts";
import { checkConversationId, checkProperties } from "../../message/validate.ts";
import { isoTime } from "../../util/time.ts";
import { copyOf, type StoreAccess } from "../access.ts";
import { withContextState } from "../read/context-state.ts";
import { deletedWith, findConversation, isKey } from "../read/references.ts";
import { byKey } from "../read/session-keys.ts";
import { eraseFromLedger } from "./import-ledger.ts";
import type { Receipt } from "./receipt.ts";

export interface PurgeOptions {
  /** Also a conversation that is not in the trash. */
  readonly force?: boolean;
}

const PURGE_PROPERTIES: ReadonlySet<string> = new Set(["force"]);

export async function moveToTrash(store: StoreAccess, idOrKey: string): Promise<ConversationInfo> {
  const info = await findConversation(store, idOrKey);
  store.assertWritable();
  if (info === undefined) throw notFound(idOrKey);
  const { contextState } = await withContextState(store, info);
  const { moved } = await store.search.erasing(info.id, undefined, async () => ({
    moved: await move(store, "trash", info.id),
    copies: [],
  }));
  // The tree of a conversation in the trash is not read.
  return { ...moved, contextState };
}

export async function restoreFromTrash(store: StoreAccess, idOrKey: string): Promise<ConversationInfo> {
  // An id waits for nothing: calls take effect in their order.
  const id = isKey(idOrKey) ? await deletedWith(store, idOrKey) : checkConversationId(idOrKey);
  store.assertWritable();
  if (id === undefined) throw notFound(idOrKey);
  return withContextState(store, await move(store, "restore", id));
}

export async function purge(store: StoreAccess, idOrKey: string, options: PurgeOptions): Promise<Receipt> {
  checkProperties(options, PURGE_PROPERTIES, "options");
  const force = options.force === true;
  const conversation = isKey(idOrKey) ? await meantBy(store, idOrKey, force) : checkConversationId(idOrKey);
  store.assertWritable();
  if (conversation === undefined) throw notFound(idOrKey);
  const at = isoTime(store.nowMs());
  const [removed, ledgers] = await Promise.all([
    store.search.erasing(conversation, undefined, () =>
      store.queue.push({ type: "purge", conversation, force, at }),
    ),
    eraseFromLedger(store, conversation),
  ]);
  return { id: conversation, at, ...removed, copies: [...removed.copies, ...ledgers] };
}

async function meantBy(store: StoreAccess, key: string, force: boolean): Promise<string | undefined> {
  const live = await byKey(store, key);
  if (force && live !== undefined) return live.id;
  // With neither in the trash, the engine explains why by the id of the live one.
  return (await deletedWith(store, key)) ?? live?.id;
}

async function move(
  store: StoreAccess,
  type: "trash" | "restore",
  conversation: string,
): Promise<ConversationInfo> {
  return copyOf(await store.queue.push({ type, conversation, at: isoTime(store.nowMs()) }));
}
