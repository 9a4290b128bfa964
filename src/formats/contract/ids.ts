import { uuidFromHash } from "../../util/uuid.ts";

/** Readers use it for entries and conversations that have no id. */
export { madeId } from "../../util/uuid.ts";

/** Whether `madeId` made it. The ids of a store are UUIDs. */
export function isMadeId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}

/** The id in the store of a conversation of a source: the same in every import, on every machine. */
export function conversationIdOf(format: string, root: string): string {
  return uuidFromHash(`${format}\0${root}`);
}
