/** A tool names the file of a session after its id. A fork has another id than the conversation that it belongs to. */
import { basename } from "node:path";
import type { Store } from "../../store/store.ts";
import { insideZip } from "../sources/member-path.ts";

/** A shorter id is in the name of a file by chance. */
const ID_CHARS_MIN = 8;

export function isFileOf(file: string, session: string): boolean {
  return session.length >= ID_CHARS_MIN && basename(insideZip(file)).includes(session);
}

/** The start of a UUID, as no other part of a name begins. */
const SESSION = /^[0-9a-f]{8}(?:-[0-9a-f-]*)?$/;

/** The conversation that a session is a part of, which may have the id and the key of another one. */
export async function conversationWith(store: Store, session: string): Promise<string | undefined> {
  if (!SESSION.test(session)) return undefined;
  const found = await conversationsIn(store, (file) => isFileOf(file, session));
  return found.length === 1 ? found[0] : undefined;
}

/** The conversations with an original of such a name. */
export async function conversationsIn(store: Store, isIt: (file: string) => boolean): Promise<string[]> {
  const ingest = store.ingest();
  const found: string[] = [];
  for await (const { id } of store.list()) {
    const originals = await ingest.originals(id);
    if (originals.some(({ file }) => isIt(file))) found.push(id);
  }
  return found;
}
