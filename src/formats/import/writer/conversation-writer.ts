/**
 * Writes one conversation, from however many files it comes.
 *
 * Entries are queued by the readers, which are synchronous, and written by
 * `drain`: what is known is left out, the rest goes to the tree.
 */
import type { ConversationInfo } from "../../../engine/index.ts";
import type { Ingest } from "../../../store/write/ingest.ts";
import type { JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceConversation, SourceEntry } from "../../contract/reader.ts";
import type { RememberedConversation } from "../ledger.ts";
import type { StandIns } from "../text-placeholders.ts";
import { type Composed, compose, firstKeptOf, readyEntry, type Waiting } from "./compose.ts";
import { channelOf, introduction, keyOf, labelOf } from "./conversation-start.ts";
import { restoreRecord } from "./kept-records.ts";
import { contentPrint, versionId } from "./known-entries.ts";
import { derivedTitle, titleOf } from "./title.ts";
import { TreeWriter } from "./tree-writer.ts";

/** What is to be done with what a reader gives. */
export type Mode = "write" | "dry-run" | "verify";

/** An entry in the queue. */
export interface Queued extends Waiting {
  /** The reader's own word, or what it added before. */
  readonly parent: string | null;
  /** What the same file added before, for when there is no such parent. */
  readonly after: string | null;
  /** About its size in the store. */
  readonly bytes: number;
}

export interface WriterOptions {
  readonly ingest: Ingest;
  readonly mode: Mode;
  readonly id: string;
  readonly format: string;
  readonly start: SourceConversation;
  /** The number of the last entry that an earlier import wrote: what stands before it need not be looked at. */
  readonly resumeAfter: number | undefined;
  /** What an earlier import left. One that is not there any more was purged by a person, and stays away. */
  readonly remembered: RememberedConversation | undefined;
  /** From whatever file. */
  readonly wasImported: boolean;
  /** A person wants back what was deleted. */
  readonly again: boolean;
  readonly standIns: StandIns;
  readonly unresolved: (reference: string) => void;
  readonly missing: (queued: Queued) => void;
}

export class ConversationWriter {
  readonly flags: Map<string, number> = new Map();
  /** Entries whose last version has a name of its own: what follows them follows that. */
  readonly versions: Map<string, string> = new Map();
  readonly #options: WriterOptions;
  readonly tree: TreeWriter;
  #start: SourceConversation;
  #derivedTitle: string | undefined;
  #queue: Queued[] = [];
  #queuedBytes = 0;
  #blobs: string[] = [];
  #draining: Promise<void> = Promise.resolve();
  #begun: Promise<void> | undefined;
  #info: ConversationInfo | undefined;
  #lastAtMs: number | undefined;
  #leaf: string | undefined;
  #isPurged = false;
  #wantsAll = false;
  /** How many of the added messages `#info` counts. */
  #counted = 0;
  /** Messages that were added, or would be. */
  added = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#start = options.start;
    this.tree = new TreeWriter(options.ingest, options.id, options.mode !== "write");
  }

  get id(): string {
    return this.#options.id;
  }

  get start(): SourceConversation {
    return this.#start;
  }

  get format(): string {
    return this.#options.format;
  }

  /** As the store has it. */
  get info(): ConversationInfo | undefined {
    return this.#info;
  }

  /** Bytes that are queued or on their way. */
  get bytes(): number {
    return this.#queuedBytes + this.tree.bytes;
  }

  /** The source's own title, or the first words of the person. */
  get title(): string | undefined {
    return this.#start.title ?? (this.#start.verbatim === true ? undefined : this.#derivedTitle);
  }

  /** It lies in the trash: should it be restored, everything has to be read again. */
  get isTrashed(): boolean {
    return this.#info !== undefined && this.#info.deletedAt !== null;
  }

  /** A person has put it into the trash, or purged it: nothing is added to it. */
  get isUnwanted(): boolean {
    return this.#isPurged || this.isTrashed;
  }

  add(queued: Queued): void {
    this.#queue.push(queued);
    this.#queuedBytes += queued.bytes;
    const { message } = queued.entry;
    if (this.#derivedTitle === undefined && message !== undefined) this.#derivedTitle = derivedTitle(message);
  }

  addBlob(base64: string): void {
    this.#blobs.push(base64);
    this.#queuedBytes += base64.length;
  }

  update(patch: Partial<SourceConversation>): void {
    this.#start = { ...this.#start, ...patch };
  }

  /** What an earlier import knew of versions. */
  addVersions(versions: Readonly<Record<string, unknown>>): void {
    for (const [name, id] of Object.entries(versions)) {
      if (typeof id !== "string") continue;
      this.versions.set(name, id);
      this.tree.known.addName(name, id);
    }
  }

  leaf(entryId: string): void {
    this.#leaf = entryId;
  }

  /** Write what is queued. Calls follow one another. */
  drain(): Promise<void> {
    const done = this.#draining.then(() => this.#drain());
    this.#draining = done.catch(() => {});
    return done;
  }

  /** What was drained is in the store. */
  settle(): Promise<void> {
    return this.tree.settle();
  }

  /** Everything is in the store, what the source shows is checked out, and title and model are known. */
  async finish(): Promise<void> {
    await this.drain();
    if (this.#options.mode !== "write" || this.isUnwanted || this.#info === undefined) return;
    await this.#finishTree();
    await this.tree.settle();
    await this.#describe(this.#info);
    const deep = this.tree.branches > 1 ? await this.#options.ingest.deepBranches(this.id) : 0;
    if (deep > 0) this.flags.set("deep", deep);
  }

  /** Only when something was added: what a person has checked out since stays so. */
  async #finishTree(): Promise<void> {
    const { lastId } = this.tree;
    if (lastId === undefined) return;
    if (this.#start.tree !== undefined) return this.tree.reshape(this.#start.tree);
    await this.tree.checkout(
      (this.#leaf === undefined ? undefined : this.tree.resolve(this.#leaf)) ?? lastId,
    );
  }

  async #drain(): Promise<void> {
    this.#begun ??= this.#begin();
    await this.#begun;
    if (this.#wantsAll) await this.#loadAll();
    await this.#storeBlobs();
    const queue = this.#queue;
    this.#queue = [];
    for (const queued of queue) {
      this.#queuedBytes -= queued.bytes;
      const waiting = this.isUnwanted ? undefined : this.#take(queued);
      if (waiting !== undefined) await waiting;
    }
    this.tree.flush();
  }

  /** A file that is read from its beginning adds to it too: everything has to be known. */
  wantAll(): void {
    this.#wantsAll = true;
  }

  async #loadAll(): Promise<void> {
    this.#wantsAll = false;
    if (!this.#isPartial || this.#info?.head == null || this.isUnwanted) return;
    await this.tree.settle();
    await this.tree.load(undefined);
  }

  async #storeBlobs(): Promise<void> {
    for (const base64 of this.#blobs.splice(0)) {
      this.#queuedBytes -= base64.length;
      if (this.#options.mode !== "write" || this.isUnwanted) continue;
      await this.#options.ingest.putBlob(Buffer.from(base64, "base64"));
    }
  }

  async #begin(): Promise<void> {
    const { ingest, mode, remembered, resumeAfter } = this.#options;
    // One that an earlier import wrote must not come back when a person has purged it.
    const wasImported = remembered !== undefined || this.#options.wasImported;
    if (mode !== "write" || wasImported) this.#info = await ingest.find(this.id);
    this.#isPurged = this.#info === undefined && wasImported && mode === "write";
    if (this.#info === undefined && mode === "write" && !this.#isPurged) this.#info = await this.#create();
    if (this.#options.again && mode === "write" && this.#info?.deletedAt != null) {
      this.#info = (await ingest.restore(this.id)) ?? this.#info;
    }
    if (this.isUnwanted) this.flags.set(this.#isPurged ? "purged" : "in-trash", 1);
    else if (this.#info?.head != null) await this.tree.load(resumeAfter);
    else if (mode === "write" && this.#start.verbatim !== true) this.#introduce();
  }

  #create(): Promise<ConversationInfo> {
    const { ingest, format } = this.#options;
    const { model, createdAt } = this.#start;
    const atMs = createdAt ?? this.#queue.find(({ entry }) => entry.at !== undefined)?.entry.at;
    this.#lastAtMs = atMs ?? this.#queue[0]?.origin.around.modifiedMs ?? 0;
    return ingest.create({
      id: this.id,
      key: keyOf(format, this.#start),
      title: titleOf(this.title ?? "") || null,
      channel: channelOf(format, this.#start),
      model: labelOf(model) ?? null,
      atMs: this.#lastAtMs,
    });
  }

  #introduce(): void {
    const { ingest, format } = this.#options;
    const data = introduction(format, this.#start);
    const ready = ingest.other("info", this.#rootId, this.#lastAtMs ?? 0, data);
    this.tree.put({ ready, parent: null, names: [], bytes: 0 });
  }

  /** The entry that says where the conversation comes from. */
  get #rootId(): string {
    return madeId("import", this.id);
  }

  /** `undefined` when it could be dealt with at once, as nearly always. */
  #take(queued: Queued): Promise<void> | undefined {
    if (this.#isPruned(queued)) return undefined;
    if (this.#isKnown(queued)) return this.#takeNotes(queued);
    if (this.#options.mode === "verify") {
      this.#options.missing(queued);
      return undefined;
    }
    // Of a conversation that is gone on with, only the newest entries are known: the store has to be asked.
    if (this.#isPartial && this.tree.known.idOf(queued.entry.id) === undefined)
      return this.#takeAsking(queued);
    return this.#takeNew(queued);
  }

  async #takeAsking(queued: Queued): Promise<void> {
    await this.tree.settle();
    await this.tree.seqOf(queued.entry.id);
    await this.#takeNew(queued);
  }

  get #isPartial(): boolean {
    return this.#options.resumeAfter !== undefined && !this.tree.known.complete;
  }

  /** What a person has pruned does not come back, and neither does what followed it. */
  #isPruned({ entry, parent }: Queued): boolean {
    const { known } = this.tree;
    const isPruned = known.isRemoved(entry.id) || (parent !== null && known.isRemoved(parent));
    if (isPruned) known.remove([entry.id, ...(entry.aliases ?? [])]);
    return isPruned;
  }

  /** The entry is known; what travels with it may be new. */
  #takeNotes(queued: Queued): Promise<void> | undefined {
    const { known } = this.tree;
    const notes = queued.notes.filter((kept) => !known.hasRecord({ value: restoreRecord(kept, undefined) }));
    if (notes.length === 0 || queued.entry.records.length === 0) return undefined;
    const id = madeId("notes", this.id, JSON.stringify(notes));
    const entry: SourceEntry = { id, kind: "info", data: { type: "records" }, records: [] };
    return this.#take({ ...queued, entry, notes });
  }

  #takeNew(queued: Queued): Promise<void> | undefined {
    const composed = compose(queued, this.#options.unresolved);
    const isKnownId = this.tree.known.idOf(queued.entry.id) !== undefined;
    if (isKnownId || composed instanceof Promise) return this.#takeSlowly(queued, composed, isKnownId);
    return this.#place(queued, composed);
  }

  #isKnown({ entry, notes }: Queued): boolean {
    const { known } = this.tree;
    if (entry.records.length > 0 || notes.length === 0) return known.holds(entry);
    return notes.every((kept) => known.hasRecord({ value: restoreRecord(kept, undefined) }));
  }

  /** The same id once more is a copy, which is left out, or another version, which is kept beside the first. */
  async #takeSlowly(
    queued: Queued,
    composing: Composed | Promise<Composed>,
    isKnownId: boolean,
  ): Promise<void> {
    const composed = await composing;
    if (!isKnownId) return this.#place(queued, composed);
    await this.tree.settle();
    const print = contentPrint((composed.message ?? composed.data ?? {}) as JsonObject);
    const id = versionId(composed.id, print);
    if (this.tree.known.idOf(id) !== undefined || (await this.#storedPrint(composed.id)) === print) return;
    return this.#place(queued, { ...composed, id, flags: [...composed.flags, "duplicate-id"] });
  }

  async #storedPrint(name: string): Promise<string | undefined> {
    const seq = await this.tree.seqOf(name);
    if (seq === undefined) return undefined;
    for await (const { message, data } of this.#options.ingest.log(this.id, seq - 1)) {
      return contentPrint((message ?? data ?? {}) as JsonObject);
    }
    return undefined;
  }

  #place(queued: Queued, composed: Composed): Promise<void> | undefined {
    const firstKept = firstKeptOf(composed);
    const { parent } = queued;
    const { tree } = this;
    const isAtHand = parent === null || tree.known.complete || tree.resolve(parent) !== undefined;
    if (firstKept === undefined && isAtHand) return this.#put(queued, composed);
    return this.#placeSlowly(queued, composed, firstKept);
  }

  /** Something that it refers to has to be looked up in the store. */
  async #placeSlowly(queued: Queued, composed: Composed, firstKept: string | undefined): Promise<void> {
    await this.tree.settle();
    if (queued.parent !== null) await this.tree.seqOf(queued.parent);
    const seq = firstKept === undefined ? undefined : await this.tree.seqOf(firstKept);
    const data = seq === undefined ? composed.data : { ...composed.data, first_kept_seq: seq };
    await this.#put(queued, { ...composed, data });
  }

  #put(queued: Queued, composed: Composed): Promise<void> | undefined {
    const { entry, origin, bytes } = queued;
    const { ingest, standIns } = this.#options;
    const parent = this.#parentOf(queued);
    const flags = parent.isMissing ? [...composed.flags, "missing-parent"] : composed.flags;
    for (const flag of flags) this.#flag(flag);
    this.#lastAtMs = entry.at ?? this.#lastAtMs ?? origin.around.modifiedMs;
    const ready = readyEntry(ingest, { ...composed, flags }, this.#lastAtMs, standIns);
    if (ready.entry.kind === "message") this.added++;
    if (this.#options.mode === "dry-run") {
      this.tree.known.note(composed.id, (composed.message ?? composed.data ?? {}) as JsonObject);
    }
    if (composed.id !== entry.id) this.versions.set(entry.id, composed.id);
    const names = namesOf(entry, composed.id);
    return this.tree.put({ ready, parent: parent.id, names, bytes, branch: entry.branch });
  }

  /** An entry whose parent is missing hangs below what was added before it. */
  #parentOf({ parent, after }: Queued): { readonly id: string | null; readonly isMissing: boolean } {
    const root = this.tree.isHead(this.#rootId) ? this.#rootId : null;
    if (parent === null) return { id: root, isMissing: false };
    const id = this.tree.resolve(parent);
    if (id !== undefined) return { id, isMissing: false };
    this.#options.unresolved(`entry ${parent}, which another one follows`);
    const before = after === null ? undefined : this.tree.resolve(after);
    return { id: before ?? this.tree.lastId ?? root, isMissing: true };
  }

  /** A title that a person gave stays. */
  async #describe(info: ConversationInfo): Promise<void> {
    const { ingest, remembered } = this.#options;
    // The first words of a person are a name only while there is no other.
    const title = titleOf((info.title === null ? this.title : this.#start.title) ?? "");
    const model = labelOf(this.#start.model);
    const mayName = [null, remembered?.title, titleOf(this.#derivedTitle ?? "")].includes(info.title);
    const patch = {
      ...(mayName && title !== "" && title !== info.title ? { title } : {}),
      ...(model !== undefined && info.model === null ? { model } : {}),
    };
    const isChanged = Object.keys(patch).length > 0;
    if (isChanged) this.#info = await ingest.update(this.id, patch);
    else this.#info = { ...info, messageCount: info.messageCount + this.added - this.#counted };
    this.#counted = this.added;
  }

  #flag(flag: string): void {
    this.flags.set(flag, (this.flags.get(flag) ?? 0) + 1);
  }
}

/** Names by which a source may refer to an entry, besides its id in the store. */
function namesOf({ aliases = [], id: sourceId }: SourceEntry, id: string): readonly string[] {
  return id === sourceId ? aliases : [...aliases, sourceId];
}
