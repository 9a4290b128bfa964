/**
 * Writes conversations of other programs, entry by entry, with their
 * original ids and times. For imports; other callers use `Conversation`.
 */
import type {
  ConversationInfo,
  CreateOperation,
  EntryPlace,
  NewBlob,
  NewEntry,
  UpdatePatch,
} from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import { keyOfOlder } from "../../key/copies.ts";
import type { Message, StoredEntry } from "../../message/types.ts";
import { checkShape } from "../../message/validate.ts";
import { describeBranches } from "../../tree/branches.ts";
import type { LogEnd, LogTip } from "../../tree/place-entries.ts";
import { assertJson, type JsonObject } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import type { StoreAccess } from "../access.ts";
import { extractBlobs, inlineBlobs, type StandsFor } from "../blobs/blob-parts.ts";
import { type BlobSource, putBlob, type StoredBlob } from "../blobs/blob-streams.ts";
import {
  type Announcement,
  isAnnouncement,
  type Segment,
  segmentReferences,
} from "../originals/announcement.ts";
import { announcementEntry, announcing, withdrawing } from "../originals/erase-originals.ts";
import { type Original, originalsOf, type StoredAnnouncement } from "../originals/originals.ts";
import { inlineSegment, segmentBytes } from "../originals/segments.ts";
import { entryAt, logEndOf } from "../read/lookups.ts";
import { wasPurged } from "../retention/erasure.ts";
import { forgetImports } from "../retention/import-ledger.ts";
import { claimKey, moveKey, type Replaced } from "./claim-key.ts";

/** An entry that is ready to be written. */
export interface ReadyEntry {
  readonly entry: NewEntry;
  readonly blobs: readonly NewBlob[];
}

interface TrashOption {
  /** Also of a conversation in the trash. */
  readonly trash?: boolean;
}

const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 8 * 1024 * 1024;

export class Ingest {
  readonly #store: StoreAccess;
  #alone: Promise<unknown> = Promise.resolve();

  /** @internal Use `store.ingest()`. */
  constructor(store: StoreAccess) {
    this.#store = store;
  }

  /** Whether parents that form a cycle are not worth a report. */
  get allowsCircularReferences(): boolean {
    return this.#store.allowCircularReferences;
  }

  /**
   * Throws `VALIDATION_ERROR` if it is not a valid message. It must not be
   * changed afterwards. Unless it is parsed JSON of a bounded depth
   * (`isPlain`), it is checked in full.
   */
  message(id: string, atMs: number, message: Message, isPlain: boolean, standsFor?: StandsFor): ReadyEntry {
    checkShape(message);
    if (!isPlain) assertJson(message, "message");
    return ready({ id, kind: "message", at: isoTime(atMs) }, message, standsFor);
  }

  other(kind: string, id: string, atMs: number, data: JsonObject, standsFor?: StandsFor): ReadyEntry {
    assertJson(data, "data");
    return ready({ id, kind, at: isoTime(atMs), data }, data, standsFor);
  }

  /**
   * One after another. An error that the engine did not expect fails everything in its transaction,
   * so a write that failed is tried again without the others that failed with it.
   */
  alone<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#alone.then(write);
    this.#alone = written.catch(() => {});
    return written;
  }

  /** Also from the trash. */
  find(id: string): Promise<ConversationInfo | undefined> {
    return this.#store.ask((engine) => engine.byId(id));
  }

  /** Whether the user purged it. An import leaves it out. */
  wasPurged(id: string): Promise<boolean> {
    return wasPurged(this.#store, id);
  }

  logEnd(conversation: string): Promise<LogEnd> {
    return logEndOf(this.#store, conversation);
  }

  /** In the same order; `undefined` for a conversation that is missing or in the trash. */
  logEnds(conversations: readonly string[]): Promise<(LogTip | undefined)[]> {
    return this.#store.ask((engine) => engine.logEnds(conversations));
  }

  /** With references to its large parts. */
  entryAt(conversation: string, seq: number): Promise<StoredEntry | undefined> {
    return entryAt(this.#store, conversation, seq);
  }

  async wholeEntryAt(conversation: string, seq: number): Promise<StoredEntry | undefined> {
    const entry = await this.entryAt(conversation, seq);
    if (entry?.blobs === undefined) return entry;
    return (await inlineBlobs(this.#store, [entry]))[0];
  }

  locate(conversation: string, entryId: string): Promise<number | undefined> {
    return this.#store.ask((engine) => engine.locate(conversation, entryId));
  }

  /**
   * Create a conversation, or find the one with that id. A session key that
   * is in use is marked with the id, as that of an older conversation; one
   * that cannot be a key is left out.
   */
  async create(
    init: Pick<CreateOperation, "id" | "key" | "title" | "channel" | "model"> & {
      readonly profileId?: string | null;
      readonly atMs: number;
    },
  ): Promise<ConversationInfo> {
    const { atMs, profileId = null, ...members } = init;
    const key = this.#store.keys.adopt(init.key);
    const operation: CreateOperation = {
      type: "create",
      copied: true,
      ...members,
      key,
      idGiven: true,
      profileId,
      at: isoTime(atMs),
      resume: false,
    };
    try {
      return await this.#store.queue.push(operation);
    } catch (error) {
      if (!(error instanceof ColloquyError) || error.code !== "CONFLICT") throw error;
      const existing = await this.find(init.id);
      if (existing !== undefined) return existing;
      if (error.field !== "key" || key === null) throw error;
      return this.#store.queue.push({ ...operation, key: keyOfOlder(key, init.id) });
    }
  }

  /** Give a new conversation the session key that it wants, if it was used later than the one that has it. */
  claimKey(conversation: string): Promise<Replaced | undefined> {
    return this.alone(() => claimKey(this.#store, conversation));
  }

  /** Give a conversation the session key that leads to it now, where its source says so. */
  async moveKey(conversation: string, key: string, onlyIfFree = false): Promise<Replaced | undefined> {
    const adopted = this.#store.keys.adopt(key);
    if (adopted === null) return undefined;
    return this.alone(() => moveKey(this.#store, conversation, adopted, onlyIfFree));
  }

  /** A session key as the store writes it; `null` if it cannot be one. */
  adoptKey(key: string): string | null {
    return this.#store.keys.adopt(key);
  }

  /** Restore it from the trash. `undefined` if its session key is in use by now. */
  async restore(conversation: string): Promise<ConversationInfo | undefined> {
    try {
      const at = isoTime(this.#store.nowMs());
      return await this.#store.queue.push({ type: "restore", conversation, at });
    } catch (error) {
      if (error instanceof ColloquyError && error.code === "CONFLICT") return undefined;
      throw error;
    }
  }

  /** Move it to the trash. */
  trash(conversation: string): Promise<ConversationInfo> {
    return this.#store.queue.push({ type: "trash", conversation, at: isoTime(this.#store.nowMs()) });
  }

  /** Give it another session key. `CONFLICT` if that one is in use. */
  async rename(conversation: string, key: string): Promise<void> {
    const at = isoTime(this.#store.nowMs());
    await this.#store.queue.push({ type: "set-key", conversation, key: this.#store.keys.resolve(key), at });
  }

  update(conversation: string, patch: UpdatePatch): Promise<ConversationInfo> {
    const at = isoTime(this.#store.nowMs());
    return this.#store.queue.push({ type: "update", conversation, patch, at });
  }

  /**
   * Append to a branch, by its id. The depth limit does not apply to
   * imported branches. Unless the caller knows that the ids are `fresh`, one that
   * already exists is a `CONFLICT`, and so is a log that does not end with `after`.
   */
  async append(
    conversation: string,
    branch: number | undefined,
    entries: readonly ReadyEntry[],
    fresh: boolean,
    after?: LogTip,
  ): Promise<readonly EntryPlace[]> {
    const nowMs = this.#store.nowMs();
    const result = await this.#store.queue.push({
      type: "append",
      conversation,
      entries: entries.map(({ entry }) => (fresh ? entry : { ...entry, idGiven: true })),
      blobs: entries.flatMap(({ blobs }) => blobs),
      branch,
      operationId: undefined,
      expectedHead: undefined,
      after,
      maxDepth: Number.MAX_SAFE_INTEGER,
      at: isoTime(nowMs),
    });
    return result.replayed ? result.entries : result.places;
  }

  putBlob(source: BlobSource): Promise<StoredBlob> {
    return putBlob(this.#store, source);
  }

  /** Remove those of these blobs that no entry refers to. */
  async dropUnused(hashes: readonly string[]): Promise<void> {
    const at = isoTime(this.#store.nowMs());
    await this.#store.queue.push({ type: "collect", before: at, hashes, at });
  }

  /** What the store has of the sources of a conversation. */
  originals(conversation: string, { trash = false }: TrashOption = {}): Promise<Original[]> {
    return originalsOf(this.#store, conversation, trash);
  }

  segmentBytes(segment: Segment): Promise<Buffer | "missing" | "damaged"> {
    return segmentBytes(this.#store, segment);
  }

  /** Bytes of sources are lost: the next import reads all of them again. */
  forgetImports(): Promise<void> {
    return forgetImports(this.#store);
  }

  announcement(id: string, atMs: number, announcement: Announcement, blobs: readonly NewBlob[]): ReadyEntry {
    return { entry: announcementEntry(id, isoTime(atMs), announcement), blobs };
  }

  /** Remove announcements that others replace, and their segments. */
  async withdraw(conversation: string, entries: readonly string[]): Promise<void> {
    const nowMs = this.#store.nowMs();
    await Promise.all(
      entries.map((entry) => this.#store.queue.push(withdrawing(conversation, entry, nowMs))),
    );
  }

  /** Store segments again that can no longer be read: their bytes, by their place in the announcement. */
  async healSegments(
    conversation: string,
    { entry, ...announcement }: StoredAnnouncement,
    found: ReadonlyMap<number, Buffer>,
  ): Promise<void> {
    const healed = announcement.segments.map((segment, index) => {
      const bytes = found.get(index);
      return bytes === undefined ? segment : inlineSegment(segment, bytes);
    });
    const nowMs = this.#store.nowMs();
    const { queue } = this.#store;
    await queue.together(() =>
      Promise.all([
        queue.push(announcing(this.#store, conversation, { ...announcement, segments: healed }, [], nowMs)),
        queue.push(withdrawing(conversation, entry, nowMs)),
      ]),
    );
  }

  /** Every entry after `seq`, on any branch. */
  async *log(
    conversation: string,
    after: number,
    { trash = false }: TrashOption = {},
  ): AsyncGenerator<StoredEntry, void, undefined> {
    for (let from = after, more = true; more; ) {
      const page = await this.#store.ask((engine) =>
        engine.page({
          conversation,
          direction: "forward",
          from,
          limit: PAGE_ENTRIES,
          bytesMax: PAGE_BYTES,
          branch: null,
          asStored: trash,
        }),
      );
      yield* await inlineBlobs(this.#store, page.entries);
      from = page.entries.at(-1)?.seq ?? from;
      more = page.more && page.entries.length > 0;
    }
  }

  /** The number of branches deeper than the limit for new ones. */
  async deepBranches(conversation: string): Promise<number> {
    const { tree, lastSeq, last } = await this.logEnd(conversation);
    const { maxDepth } = this.#store.depthLimits;
    return describeBranches(tree, lastSeq, last).filter(({ depth }) => depth > maxDepth).length;
  }
}

function ready(
  entry: Pick<NewEntry, "id" | "kind" | "at" | "data">,
  value: Message | JsonObject,
  standsFor: StandsFor | undefined,
): ReadyEntry {
  const json = JSON.stringify(value);
  if (isAnnouncement(entry.kind, value)) {
    return { entry: { ...entry, idGiven: false, json, blobs: segmentReferences(value) }, blobs: [] };
  }
  const extracted = extractBlobs(value, json, standsFor);
  if (extracted === undefined) return { entry: { ...entry, idGiven: false, json }, blobs: [] };
  const { refs, blobs } = extracted;
  return { entry: { ...entry, idGiven: false, json: extracted.json, blobs: refs }, blobs };
}
