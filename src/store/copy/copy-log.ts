/** The log of a conversation for a copy: every entry, its branch, and a hash of all of it. */

import { setImmediate as breathe } from "node:timers/promises";
import type { ConversationInfo, NewEntry } from "../../engine/index.ts";
import { unavailable } from "../../errors.ts";
import type { BlobRef, StoredEntry } from "../../message/types.ts";
import { isPlainObject, type JsonObject } from "../../util/json.ts";
import { sha256 } from "../../util/sha256.ts";
import type { StoreAccess } from "../access.ts";
import { inlineBlobs } from "../blobs/blob-parts.ts";
import { readBlob } from "../blobs/blob-streams.ts";

const PAGE_ENTRIES = 500;
const PAGE_BYTES = 8 * 1024 * 1024;

/** One entry, ready to be written elsewhere. */
export interface CopiedEntry {
  readonly entry: NewEntry;
  readonly operationId: string | undefined;
  /** The large parts that could be read. */
  readonly blobs: readonly BlobRef[];
  /** Equal for the same entry in every store and engine: with its large parts, properties sorted. */
  readonly text: string;
}

export interface StoredLog {
  readonly entries: readonly CopiedEntry[];
  /** The open turn. */
  readonly turn: string | undefined;
}

/** Every entry of a conversation in order, even in the trash, a page at a time. */
export async function* storedLog(
  store: StoreAccess,
  conversation: string,
): AsyncGenerator<StoredLog, void, undefined> {
  let after = 0;
  for (let more = true; more; ) {
    const page = await store.ask((engine) =>
      engine.page({
        conversation,
        direction: "forward",
        from: after,
        limit: PAGE_ENTRIES,
        bytesMax: PAGE_BYTES,
        branch: null,
        asStored: true,
      }),
    );
    const entries: CopiedEntry[] = [];
    for (const [index, entry] of page.entries.entries()) {
      const branch = page.branches?.[index];
      // Without it the copy would have a different tree.
      if (branch === undefined) throw unavailable("The engine does not say which branch an entry is on");
      entries.push(await stored(store, entry, branch, after));
      after = entry.seq;
    }
    yield { entries, turn: page.turn };
    more = page.more;
    // Otherwise an engine that never waits would keep timers and signals waiting.
    await breathe();
  }
}

async function stored(
  store: StoreAccess,
  found: StoredEntry,
  branch: number,
  after: number,
): Promise<CopiedEntry> {
  const { id, seq, parentId, kind, at, operationId } = found;
  // Before the large parts are put back, which changes the message.
  const json = JSON.stringify(found.message ?? found.data ?? null);
  const [whole] = (found.blobs === undefined ? [found] : await inlineBlobs(store, [found])) as [StoredEntry];
  const blobs = await readable(store, found.blobs ?? [], whole.flags);
  const { message, data } = whole;
  const text = canonical({ id, seq, parentId, branch, kind, at, operationId, message, data });
  const sourcePlace = { after, seq, parentId, branch };
  const entry: NewEntry = {
    ...{ id, idGiven: true, kind, at, json, sourcePlace },
    ...(kind !== "message" && isPlainObject(found.data) ? { data: found.data as JsonObject } : {}),
    ...(blobs.length === 0 ? {} : { blobs }),
  };
  return { entry, operationId, blobs, text };
}

/** A reference to a missing or damaged blob would be refused, so the message is copied without it. */
async function readable(
  store: StoreAccess,
  refs: readonly BlobRef[],
  flags: readonly string[] = [],
): Promise<readonly BlobRef[]> {
  const isWhole = !flags.some((flag) => flag.startsWith("blob-"));
  if (isWhole && refs.every(({ as }) => as !== "reference")) return refs;
  const found: BlobRef[] = [];
  for (const ref of refs) if (await isReadable(store, ref)) found.push(ref);
  return found;
}

async function isReadable(store: StoreAccess, { hash }: BlobRef): Promise<boolean> {
  try {
    const pieces = await readBlob(store, hash);
    if (pieces === undefined) return false;
    for await (const _ of pieces);
    return true;
  } catch {
    return false;
  }
}

/** The properties of a conversation that do not follow from its entries. */
export function infoText(info: ConversationInfo): string {
  const { id, key, title, channel, model, profileId, contextState, createdAt, updatedAt, deletedAt } = info;
  return canonical({
    ...{ id, key, title, channel, model, profileId, contextState },
    ...{ createdAt, updatedAt, deletedAt },
  });
}

/** JSON with the properties of every object sorted. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (!isPlainObject(inner)) return inner;
    const sorted: Record<string, unknown> = Object.create(null);
    for (const member of Object.keys(inner).sort()) sorted[member] = inner[member];
    return sorted;
  });
}

/** A hash of the bytes of every entry, in order. */
export class LogHash {
  readonly #hash = sha256();
  entries = 0;

  add(text: string): void {
    this.#hash.update(text).update("\n");
    this.entries++;
  }

  /** Includes the properties of the conversation. To be called once. */
  end(info: ConversationInfo): string {
    return this.#hash.update(infoText(info)).digest("hex");
  }
}
