/**
 * Brings an index up to date with the change feed of its store.
 *
 * Entries are read and cut into words first, then added in a short transaction, so that two processes may do this at
 * once: one that comes second finds them in the index and adds nothing.
 */
import type { Change, ConversationInfo } from "../engine/index.ts";
import { isRedacted } from "../message/redacted.ts";
import type { StoredEntry } from "../message/types.ts";
import { nextLoopTurn } from "../util/loop-turn.ts";
import { documentsOf } from "./fields.ts";
import { forgetConversation } from "./forget.ts";
import { type Addition, type IndexedMessage, type IndexFile, StaleError } from "./index-file.ts";
import type { SearchSource } from "./source.ts";

/** How far the building of an index is. */
export interface BuildProgress {
  readonly messages: number;
  readonly total: number;
}

export interface CatchUpOptions {
  /** Asked between two batches. */
  readonly isStopped: () => boolean;
  readonly nowMs: () => number;
  readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
}

const CHANGES_MAX = 1000;
/** An erasure that takes longer is over, or was killed. */
const ERASURE_MS = 60_000;
/** One transaction. Smaller ones leave more for SQLite to merge, larger ones hold up the event loop. */
const BATCH_MESSAGES = 1000;
const BATCH_CHARS = 1024 * 1024;

/** Returns whether the index is complete. */
export async function catchUp(
  file: IndexFile,
  source: SearchSource,
  options: CatchUpOptions,
): Promise<boolean> {
  while (!options.isStopped()) {
    try {
      return await catchUpOnce(file, source, options);
    } catch (error) {
      if (!(error instanceof StaleError)) throw error;
    }
  }
  return false;
}

async function catchUpOnce(file: IndexFile, source: SearchSource, options: CatchUpOptions): Promise<boolean> {
  if (!file.isCurrentVersion) {
    await file.transaction(() => {
      if (!file.isCurrentVersion) file.clear();
    });
  }
  if (file.place === undefined && !(await build(file, source, options))) return false;
  if (!(await restoreErased(file, source, options))) return false;
  for (;;) {
    if (options.isStopped()) return false;
    const batch = new Batch(file, options);
    const before = file.place;
    if (before === undefined) throw new StaleError();
    const { changes, place } = await source.changes(before, CHANGES_MAX);
    if (!(await apply(file, source, changes, batch, options))) return false;
    if (String(place) !== String(before)) await file.transaction(() => file.advance(before, place));
    if (changes.length === 0) return !file.erasures.isOpen;
  }
}

/** Erasures that were refused or killed after words were removed from the index, and before they were in the store. */
async function restoreErased(
  file: IndexFile,
  source: SearchSource,
  options: CatchUpOptions,
): Promise<boolean> {
  const timeMs = options.nowMs() - ERASURE_MS;
  if (!file.erasures.hasBefore(timeMs)) return true;
  await file.transaction(() => file.erasures.removeBefore(timeMs, null));
  for (const id of file.erasures.openBefore(timeMs)) {
    // What is left of it, because it is not known which words are missing.
    await forgetConversation(file, source, id);
    await file.transaction(() => file.erasures.undo(timeMs, id));
    const batch = new Batch(file, options);
    const info = await source.info(id);
    if (info?.deletedAt === null && !(await addRest(file, source, info, batch, options))) return false;
    await batch.commit();
    await file.transaction(() => file.erasures.removeBefore(timeMs, id));
  }
  return true;
}

/** Read every conversation. Continues where it was stopped. */
async function build(file: IndexFile, source: SearchSource, options: CatchUpOptions): Promise<boolean> {
  const { generation } = file;
  const place = file.building ?? (await source.changes(null, 0)).place;
  await file.transaction(() => {
    if (file.building === undefined) file.beginBuilding(place);
  });
  const { onProgress } = options;
  const total = onProgress === undefined ? 0 : await countMessages(source);
  const before = file.messages;
  const batch = new Batch(file, options, (added) => onProgress?.({ messages: before + added, total }));
  for await (const page of source.conversations()) {
    for (const info of page) if (!(await addRest(file, source, info, batch, options))) return false;
  }
  await batch.commit();
  await file.transaction(() => {
    if (file.generation !== generation) throw new StaleError();
    file.advance(undefined, place);
  });
  for (let isFirst = true; !options.isStopped(); isFirst = false) {
    if (!(await file.transaction(() => file.compact(isFirst)))) break;
    await nextLoopTurn();
  }
  return true;
}

async function countMessages(source: SearchSource): Promise<number> {
  let total = 0;
  for await (const page of source.conversations()) {
    for (const { messageCount } of page) total += messageCount;
  }
  return total;
}

/** Add the entries of a conversation that are not in the index. */
async function addRest(
  file: IndexFile,
  source: SearchSource,
  info: ConversationInfo,
  batch: Batch,
  { isStopped }: CatchUpOptions,
): Promise<boolean> {
  for (let after = file.conversation(info.id)?.seq ?? 0; ; ) {
    if (isStopped()) return false;
    const { entries, more } = await source.entriesAfter(info.id, after);
    const upTo = entries.at(-1)?.seq ?? after;
    await batch.add({ info, after, upTo, messages: await messagesOf(source, entries) });
    if (!more || entries.length === 0) return true;
    // The next page is checked against what this one has added.
    await batch.commit();
    after = upTo;
  }
}

async function messagesOf(source: SearchSource, entries: readonly StoredEntry[]): Promise<IndexedMessage[]> {
  const messages: IndexedMessage[] = [];
  for (const entry of entries) {
    if (entry.message === undefined) continue;
    const whole = entry.blobs === undefined ? entry : await source.fill(entry);
    const documents = documentsOf(whole);
    if (documents.length > 0) messages.push({ seq: entry.seq, at: entry.at, documents });
    const pause = nextLoopTurn();
    if (pause !== undefined) await pause;
  }
  return messages;
}

async function apply(
  file: IndexFile,
  source: SearchSource,
  changes: readonly Change[],
  batch: Batch,
  options: CatchUpOptions,
): Promise<boolean> {
  for (const [id, all] of Map.groupBy(changes, ({ conversation }) => conversation)) {
    if (options.isStopped()) return false;
    const types = new Set(all.map(({ type }) => type));
    const info = await source.info(id);
    if (info === undefined || info.deletedAt !== null) {
      await batch.commit();
      await removeGone(file, source, id, info);
      continue;
    }
    // One of the same id may have been created since.
    if (types.has("purged")) await removeGone(file, source, id, undefined);
    if (types.has("redacted") || types.has("swept")) await checkErased(file, source, id);
    const known = file.conversation(id);
    const after = known?.seq ?? 0;
    const fresh = all.flatMap(({ entry }) => (entry !== undefined && entry.seq > after ? entry : []));
    const isWhole = known !== undefined && !types.has("restored");
    if (isNext(fresh, after) && (isWhole || fresh.length > 0)) {
      const upTo = after + fresh.length;
      await batch.add({ info, after, upTo, messages: await messagesOf(source, fresh) });
    } else if (!(await addRest(file, source, info, batch, options))) return false;
  }
  await batch.commit();
  return true;
}

/** Whether entries follow the one at `after` without a gap. */
function isNext(entries: readonly StoredEntry[], after: number): boolean {
  return entries.every(({ seq }, index) => seq === after + index + 1);
}

/** A conversation from the trash can still be read, and so its words can be removed; a purged one cannot. */
async function removeGone(
  file: IndexFile,
  source: SearchSource,
  id: string,
  info: ConversationInfo | undefined,
): Promise<void> {
  if (file.conversation(id) === undefined) return;
  if (info === undefined) await file.transaction(() => file.clear());
  else await forgetConversation(file, source, id);
}

/** Erasures remove words from the index before they remove them from the store. One that could not do so shows here. */
async function checkErased(file: IndexFile, source: SearchSource, id: string): Promise<void> {
  const known = file.conversation(id);
  if (known === undefined) return;
  const indexed = new Set(file.documentsIn(known.n).map(({ seq }) => seq));
  indexed.delete(0);
  for (let after = 0; ; ) {
    const { entries, more } = await source.entriesAfter(id, after);
    for (const entry of entries) {
      if (entry.message !== undefined && !isRedacted(entry)) indexed.delete(entry.seq);
    }
    after = entries.at(-1)?.seq ?? after;
    if (!more || entries.length === 0) break;
  }
  if (indexed.size === 0) return;
  await file.transaction(() => {
    // An erasure may have removed them since.
    if (file.documentsIn(known.n).some(({ seq }) => indexed.has(seq))) file.clear();
  });
}

/** Collects additions, so that small conversations share a transaction. */
class Batch {
  readonly #file: IndexFile;
  readonly #nowMs: () => number;
  readonly #generation: number;
  readonly #committed: ((messages: number) => void) | undefined;
  #additions: Addition[] = [];
  /** When the first of them was about to be read. */
  #readMs: number;
  #messages = 0;
  #chars = 0;
  #total = 0;

  constructor(file: IndexFile, { nowMs }: CatchUpOptions, committed?: (messages: number) => void) {
    this.#file = file;
    this.#nowMs = nowMs;
    this.#generation = file.generation;
    this.#committed = committed;
    this.#readMs = nowMs();
  }

  async add(addition: Addition): Promise<void> {
    this.#additions.push(addition);
    this.#messages += addition.messages.length;
    for (const { documents } of addition.messages) {
      for (const { words } of documents) this.#chars += words.length;
    }
    if (this.#messages >= BATCH_MESSAGES || this.#chars >= BATCH_CHARS) await this.commit();
  }

  async commit(): Promise<void> {
    const additions = this.#additions;
    if (additions.length > 0) {
      this.#additions = [];
      await this.#file.transaction(() => {
        if (this.#file.generation !== this.#generation) throw new StaleError();
        this.#file.add(additions, this.#readMs);
      });
      this.#total += this.#messages;
      [this.#messages, this.#chars] = [0, 0];
      this.#committed?.(this.#total);
    }
    this.#readMs = this.#nowMs();
    await nextLoopTurn();
  }
}
