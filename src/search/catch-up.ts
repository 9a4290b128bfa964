/**
 * Brings an index up to date with the change feed of its store.
 *
 * Entries are read and cut into words first, then added in a short transaction, so that two processes may do this at
 * once: one that comes second finds them in the index and adds nothing.
 */
import type { Change, ConversationInfo } from "../engine/index.ts";
import type { StoredEntry } from "../message/types.ts";
import { nextLoopTurn } from "../util/loop-turn.ts";
import { documentsOf, isRedacted } from "./fields.ts";
import { forgetConversation } from "./forget.ts";
import type { Addition, IndexedMessage, IndexFile } from "./index-file.ts";
import type { SearchSource } from "./source.ts";

/** How far the building of an index is. */
export interface BuildProgress {
  readonly messages: number;
  readonly total: number;
}

export interface CatchUpOptions {
  /** Asked between two batches. */
  readonly isStopped: () => boolean;
  readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
}

const CHANGES_MAX = 1000;
/** An erasure that takes longer is over, or was killed. */
const FORGOTTEN_MS = 60_000;
/** One transaction. Smaller ones leave more for SQLite to merge, larger ones hold up the event loop. */
const BATCH_MESSAGES = 1000;
const BATCH_CHARS = 1024 * 1024;

/** Returns whether the index is complete. */
export async function catchUp(
  file: IndexFile,
  source: SearchSource,
  options: CatchUpOptions,
): Promise<boolean> {
  if (file.place === undefined && !(await build(file, source, options))) return false;
  await restoreForgotten(file, source, options);
  for (;;) {
    if (options.isStopped()) return false;
    const before = file.place;
    if (before === undefined) return catchUp(file, source, options);
    const { changes, place } = await source.changes(before, CHANGES_MAX);
    if (changes.length > 0 && !(await apply(file, source, changes, options))) return false;
    if (String(place) !== String(before)) file.transaction(() => file.advance(before, place));
    if (changes.length === 0) return true;
  }
}

/** An erasure that was killed after it had removed words from the index, and before it erased them in the store. */
async function restoreForgotten(
  file: IndexFile,
  source: SearchSource,
  options: CatchUpOptions,
): Promise<void> {
  for (const id of file.forgottenBefore(Date.now() - FORGOTTEN_MS)) {
    const info = await source.info(id);
    if (info?.deletedAt === null) {
      const batch = new Batch(file);
      await forgetConversation(file, source, id);
      if (!(await addRest(file, source, info, batch, options))) return;
      await batch.commit();
    }
    file.transaction(() => file.settleForgotten(id));
  }
}

/** Read every conversation. Continues where it was stopped. */
async function build(file: IndexFile, source: SearchSource, options: CatchUpOptions): Promise<boolean> {
  const place = file.building ?? (await source.changes(null, 0)).place;
  file.transaction(() => {
    if (!file.isCurrentVersion) file.clear();
    file.beginBuilding(place);
  });
  const { onProgress } = options;
  const total = onProgress === undefined ? 0 : await countMessages(source);
  const batch = new Batch(file, (messages) => onProgress?.({ messages, total }));
  for await (const page of source.conversations()) {
    for (const info of page) if (!(await addRest(file, source, info, batch, options))) return false;
  }
  await batch.commit();
  file.transaction(() => file.advance(undefined, place));
  for (
    let isFirst = true;
    file.transaction(() => file.compact(isFirst)) && !options.isStopped();
    isFirst = false
  ) {
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
  options: CatchUpOptions,
): Promise<boolean> {
  const batch = new Batch(file);
  for (const [id, all] of Map.groupBy(changes, ({ conversation }) => conversation)) {
    if (options.isStopped()) return false;
    const types = new Set(all.map(({ type }) => type));
    const info = await source.info(id);
    if (info === undefined || info.deletedAt !== null) {
      await batch.commit();
      await removeGone(file, source, id, info);
    } else if (file.conversation(id) === undefined || types.has("restored")) {
      if (!(await addRest(file, source, info, batch, options))) return false;
    } else {
      if (types.has("redacted") || types.has("swept")) await checkErased(file, source, id);
      const after = file.conversation(id)?.seq ?? 0;
      const entries = all.flatMap(({ entry }) => entry ?? []);
      const fresh = entries.filter(({ seq }) => seq > after);
      const upTo = fresh.at(-1)?.seq ?? after;
      await batch.add({ info, after, upTo, messages: await messagesOf(source, fresh) });
    }
  }
  await batch.commit();
  return true;
}

/** A conversation from the trash can still be read, and so its words can be removed; a purged one cannot. */
async function removeGone(
  file: IndexFile,
  source: SearchSource,
  id: string,
  info: ConversationInfo | undefined,
): Promise<void> {
  if (file.conversation(id) === undefined) return;
  if (info === undefined) file.transaction(() => file.clear());
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
    for (const { seq, message } of entries) {
      if (message !== undefined && !isRedacted(message)) indexed.delete(seq);
    }
    after = entries.at(-1)?.seq ?? after;
    if (!more || entries.length === 0) break;
  }
  if (indexed.size > 0) file.transaction(() => file.clear());
}

/** Collects additions, so that small conversations share a transaction. */
class Batch {
  readonly #file: IndexFile;
  readonly #committed: ((messages: number) => void) | undefined;
  #additions: Addition[] = [];
  #messages = 0;
  #chars = 0;
  #total = 0;

  constructor(file: IndexFile, committed?: (messages: number) => void) {
    this.#file = file;
    this.#committed = committed;
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
    if (additions.length === 0) return;
    this.#additions = [];
    this.#file.transaction(() => {
      for (const addition of additions) this.#file.add(addition);
    });
    this.#total += this.#messages;
    [this.#messages, this.#chars] = [0, 0];
    this.#committed?.(this.#total);
    await nextLoopTurn();
  }
}
