/** What a search index reads from its store. */
import { activeAt, type ConversationInfo } from "../../engine/index.ts";
import type { StoredEntry } from "../../message/types.ts";
import { OUTPUT_CHARS_MAX, type SearchSource } from "../../search/index.ts";
import type { StoreAccess } from "../access.ts";
import { withTexts } from "../blobs/blob-parts.ts";
import { readBlob } from "../blobs/blob-streams.ts";

const PAGE_ENTRIES = 500;
const PAGE_BYTES = 4 * 1024 * 1024;
const CONVERSATIONS = 500;

/** What search needs of its store. */
export type SearchAccess = Pick<StoreAccess, "ask" | "keys" | "problem">;

type Asking = Pick<StoreAccess, "ask">;

export function searchSource(store: Asking): SearchSource {
  return {
    changes: (after, limit) => store.ask((engine) => engine.changes(after, limit)),
    info: (id) => store.ask((engine) => engine.byId(id)),
    conversations: () => conversations(store),
    entriesAfter: (conversation, from) =>
      store.ask((engine) =>
        engine.page({
          ...{ conversation, from, direction: "forward", branch: null, asStored: true },
          ...{ limit: PAGE_ENTRIES, bytesMax: PAGE_BYTES },
        }),
      ),
    fill: (entry) => fill(store, entry),
  };
}

async function* conversations(store: Asking): AsyncGenerator<readonly ConversationInfo[], void, undefined> {
  for (let after: { at: string; id: string } | undefined; ; ) {
    const query = { trash: false, limit: CONVERSATIONS, after };
    const page = await store.ask((engine) => engine.list(query));
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < CONVERSATIONS) return;
    after = { at: activeAt(last), id: last.id };
  }
}

/** Large tool results up to what is indexed of them. Images stay where they are. */
async function fill(store: Asking, entry: StoredEntry): Promise<StoredEntry> {
  const texts = await Promise.all(
    (entry.blobs ?? []).map(({ as, path, hash }) =>
      as === "text" && path[0] === "content" ? beginning(store, hash) : undefined,
    ),
  );
  return withTexts(entry, texts);
}

/** Empty if the blob is missing or damaged. */
async function beginning(store: Asking, hash: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of (await readBlob(store, hash)) ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length >= OUTPUT_CHARS_MAX) break;
    }
  } catch {
    return "";
  }
  return text.slice(0, OUTPUT_CHARS_MAX);
}
