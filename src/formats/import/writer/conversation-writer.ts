/**
 * Writes one conversation, from one file.
 *
 * Readers are synchronous and queue entries; `drain` writes them. This class
 * creates the conversation, sets its title and model, and checks out the
 * branch that the source shows. `EntryIntake` takes the entries.
 */
import type { ConversationInfo } from "../../../engine/index.ts";
import { splitMark } from "../../../key/copies.ts";
import { titleIn } from "../../../message/title.ts";
import type { Replaced } from "../../../store/write/claim-key.ts";
import type { SourceConversation } from "../../contract/reader.ts";
import type { RememberedConversation } from "../ledger.ts";
import type { QueuedOriginal } from "../original/collector.ts";
import type { ConversationOriginals } from "../original/conversation-originals.ts";
import type { Announce } from "../original/original-writer.ts";
import { returnMemory } from "../original/segment-memory.ts";
import { withoutErased } from "../original/without-erased.ts";
import { channelOf, keyOf, labelOf, stateOf } from "./conversation-start.ts";
import { EntryIntake, type IntakeOptions, type QueuedEntry } from "./entry-intake.ts";
import { derivedTitle, titleMark } from "./title.ts";
import type { TreeWriter } from "./tree-writer.ts";

export interface WriterOptions extends IntakeOptions {
  readonly start: SourceConversation;
  /** Resolves when an earlier file of the run writes nothing more to the conversation. */
  readonly after: Promise<unknown>;
  /** As an earlier import of the file left it. */
  readonly remembered: RememberedConversation | undefined;
  /** An earlier import of the file was killed, and what follows the last entry may not have been done. */
  readonly isUnfinished: boolean;
  /** When its file was last changed. */
  readonly modifiedMs: number;
  /** The user wants deleted conversations back. */
  readonly again: boolean;
  /** Another conversation has a different session key now, because this one was used later. */
  readonly replaced: (other: Replaced) => void;
}

/** Bytes of a file, with what decides which of them are new. */
interface WritersOriginal extends QueuedOriginal {
  readonly originals: ConversationOriginals;
}

type Queued = QueuedEntry | WritersOriginal;

function bytesOf(queued: Queued): number {
  if (!("segments" in queued)) return queued.bytes;
  return queued.segments.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

export class ConversationWriter {
  readonly intake: EntryIntake;
  readonly #options: WriterOptions;
  #start: SourceConversation;
  #derivedTitle: string | undefined;
  /** Every title that the source has given it so far. */
  readonly #saidTitles: Set<string | null> = new Set();
  #queue: Queued[] = [];
  readonly #originals: Set<ConversationOriginals> = new Set();
  #queuedBytes = 0;
  /** Those of them that a drain has begun to write. */
  #drainingBytes = 0;
  #blobs: string[] = [];
  #draining: Promise<void> = Promise.resolve();
  #begun: Promise<void> | undefined;
  #info: ConversationInfo | undefined;
  #leaf: string | undefined;
  /** The latest time of an entry that its file has. */
  #usedAtMs = Number.NEGATIVE_INFINITY;
  #isPurged = false;
  /** When it was begun in the source, until the store has it. */
  #createAtMs: number | undefined;
  #creating: Promise<void> | undefined;
  #isNew = false;
  /** The store had nothing of it when this began. */
  #isNewborn = false;
  /** It writes nothing more, because its file could not be read or written. */
  isDropped = false;
  #drainFailure: { readonly error: unknown } | undefined;
  #wantsAll = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#start = options.start;
    this.#saidTitles.add(titleIn(options.start.title));
    this.intake = new EntryIntake(options, () => this.#create());
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

  get tree(): TreeWriter {
    return this.intake.tree;
  }

  /** As the store has it. */
  get info(): ConversationInfo | undefined {
    return this.#info;
  }

  /** Bytes that are queued or being written. */
  get bytes(): number {
    return this.#queuedBytes + this.tree.bytes;
  }

  /** The first error of a drain, or of the writes that it began. Nothing is written after it. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#drainFailure ?? this.tree.failure;
  }

  /** Bytes that were added since the last drain. */
  get queuedBytes(): number {
    return this.#queue.length === 0 ? 0 : this.#queuedBytes - this.#drainingBytes;
  }

  /** Something was added since the last drain. */
  get isWaiting(): boolean {
    return this.#queue.length > 0 || this.#blobs.length > 0;
  }

  /** The source's title, or the first words of the user. */
  get title(): string | null {
    const derived = this.#start.verbatim === true ? null : (this.#derivedTitle ?? null);
    return titleIn(this.#start.title) ?? derived;
  }

  /** It is in the trash. If it is restored, all of it has to be read again. */
  get isTrashed(): boolean {
    return this.#info !== undefined && this.#info.deletedAt !== null;
  }

  get isPurged(): boolean {
    return this.#isPurged;
  }

  /** The user deleted or purged it: nothing is added to it. */
  get isUnwanted(): boolean {
    return this.#isPurged || this.isTrashed;
  }

  add(queued: Queued): void {
    this.#queue.push(queued);
    this.#queuedBytes += bytesOf(queued);
    if ("segments" in queued) this.#originals.add(queued.originals);
  }

  addBlob(base64: string): void {
    this.#blobs.push(base64);
    this.#queuedBytes += base64.length;
  }

  update(patch: Partial<SourceConversation>): void {
    this.#start = { ...this.#start, ...patch };
    this.#saidTitles.add(titleIn(this.#start.title));
  }

  leaf(entryId: string): void {
    this.#leaf = entryId;
  }

  /** A part of the file that was not read before adds to it too, so all of its entries have to be known. */
  wantAll(): void {
    this.#wantsAll = true;
  }

  /** Write the queue. Calls run one after another, and all that follow a failed one fail with it. */
  drain(): Promise<void> {
    this.#draining = this.#draining.then(() => this.#drain());
    this.#draining.catch((error: unknown) => {
      this.#drainFailure ??= { error };
    });
    return this.#draining;
  }

  /** Add nothing more, and wait for what is being written. */
  async drop(): Promise<void> {
    this.isDropped = true;
    await this.#draining.catch(() => {});
    await this.tree.abandon();
    this.#queue = [];
    this.#blobs = [];
    this.#queuedBytes = 0;
  }

  /** Resolves when all drained entries are in the store. */
  settle(): Promise<void> {
    return this.tree.settle();
  }

  /** Write everything, check out the branch that the source shows, and set title and model. */
  async finish(): Promise<void> {
    await this.drain();
    if (this.isUnwanted) return;
    for (const originals of this.#originals) {
      for (const announce of await originals.finish()) await this.#announce(announce);
    }
    if (this.#options.mode !== "write") return;
    await this.#finishTree();
    await this.tree.settle();
    for (const originals of this.#originals) await originals.settle();
    // A source may hold a conversation without entries.
    await this.#create();
    if (this.#info !== undefined) await this.#describe(await this.#settleKey(this.#info));
    const deep = this.tree.branches > 1 ? await this.#options.ingest.deepBranches(this.id) : 0;
    if (deep > 0) this.intake.flags.set("deep", deep);
  }

  /** Only when something was added: a branch that the user checked out since stays checked out. */
  async #finishTree(): Promise<void> {
    const lastId = this.tree.lastId ?? this.#lastBefore();
    const { tree } = this.#start;
    if (tree !== undefined && (lastId !== undefined || this.#options.isUnfinished))
      return this.tree.reshape(tree);
    if (lastId === undefined) return;
    await this.tree.settle();
    if ((this.#start.isHidden === true && !this.#isFirst) || (await this.#isUsedLater())) return;
    const leaf = this.#leaf === undefined ? undefined : this.tree.resolve(this.#leaf);
    await this.tree.checkout(leaf ?? lastId);
  }

  /** The last entry that an import of the file added before it was killed, unless others follow it by now. */
  #lastBefore(): string | undefined {
    const last = this.#options.isUnfinished ? this.tree.known.lastOf(this.#numbers) : undefined;
    if (last === undefined || !this.tree.isHead(last.id)) return undefined;
    this.tree.lastAtMs = Date.parse(last.at);
    return last.id;
  }

  /** The file that it was created from. */
  get #isFirst(): boolean {
    return this.#isNew || (this.#options.isUnfinished && this.#numbers.includes(1));
  }

  get #numbers(): number[] {
    return [...this.#originals].flatMap(({ numbers }) => numbers);
  }

  /** A conversation may come from several files, which are read in any order: the one used last is shown. */
  async #isUsedLater(): Promise<boolean> {
    if (!Number.isFinite(this.#usedAtMs)) return false;
    return ((await this.tree.shownAtMs()) ?? 0) > this.#usedAtMs;
  }

  async #drain(): Promise<void> {
    this.#begun ??= this.#begin();
    await this.#begun;
    if (this.#wantsAll) await this.#loadAll();
    await this.#storeBlobs();
    const queue = this.#queue;
    this.#queue = [];
    this.#drainingBytes = this.#queuedBytes;
    for (const [index, queued] of queue.entries()) {
      if (this.isDropped) return;
      const bytes = bytesOf(queued);
      if (!this.isUnwanted) {
        const waiting = "segments" in queued ? this.#putOriginal(queued, queue, index) : this.#take(queued);
        if (waiting !== undefined) await waiting;
      }
      this.#queuedBytes -= bytes;
      this.#drainingBytes -= bytes;
      if ("segments" in queued) for (const { memory } of queued.segments) memory && returnMemory(memory);
    }
    this.tree.flush();
  }

  #take(queued: QueuedEntry): Promise<void> | undefined {
    this.#usedAtMs = Math.max(this.#usedAtMs, queued.entry.at ?? this.#usedAtMs);
    this.#deriveTitle(queued);
    return this.intake.take(queued);
  }

  /** The entries that were made of it follow it in the queue. */
  async #putOriginal(queued: WritersOriginal, queue: readonly Queued[], index: number): Promise<void> {
    if (this.#options.mode === "dry-run") return;
    const isErased = (other: Queued): other is QueuedEntry =>
      !("segments" in other) && this.intake.isErased(other);
    const erased = this.#isNewborn ? [] : queue.slice(index + 1).filter(isErased);
    const segments = withoutErased(queued.segments, erased, Date.now());
    await this.#announce(await queued.originals.put({ ...queued, segments }, this.#isNewborn));
  }

  #announce(announce: Announce | undefined): Promise<void> | undefined {
    if (announce === undefined || this.#options.mode !== "write") return undefined;
    const ready = announce(this.intake.lastAtMs ?? this.#createdAtMs());
    return this.tree.put({ ready, parent: null, names: [] });
  }

  /** Words that were erased from the store must not come back as its title. */
  #deriveTitle({ entry: { id, message } }: QueuedEntry): void {
    if (this.#derivedTitle !== undefined || message === undefined || this.tree.known.isErased(id)) return;
    this.#derivedTitle = derivedTitle(message);
  }

  async #loadAll(): Promise<void> {
    this.#wantsAll = false;
    if (!this.intake.isPartial || this.#info?.head == null || this.isUnwanted) return;
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
    const { ingest, mode, resumeAfter, after, again } = this.#options;
    const isWriting = mode === "write";
    await after;
    this.#info = await ingest.find(this.id);
    this.#isNewborn = this.#info?.head == null;
    // A conversation that the user purged must not come back.
    this.#isPurged = this.#info === undefined && !again && (await ingest.wasPurged(this.id));
    const atMs = this.#createdAtMs();
    if (resumeAfter === undefined) this.intake.lastAtMs = atMs;
    if (this.#info === undefined && isWriting && !this.#isPurged) {
      this.#createAtMs = atMs;
      this.tree.startsEmpty();
    }
    if (again && isWriting && this.#info?.deletedAt != null) {
      this.#info = (await ingest.restore(this.id)) ?? this.#info;
    }
    if (this.isUnwanted) this.intake.flags.set(this.#isPurged ? "purged" : "in-trash", 1);
    else if (this.#info?.head != null) await this.tree.load(resumeAfter);
    else if (isWriting && this.#start.verbatim !== true) this.intake.introduce(this.#start, atMs);
  }

  #createdAtMs(): number {
    const entries = this.#queue.filter((queued): queued is QueuedEntry => !("segments" in queued));
    const first = entries.find(({ entry }) => entry.at !== undefined)?.entry.at;
    return this.#start.createdAt ?? first ?? this.#options.modifiedMs;
  }

  /** With its first entries, so that a file whose entries are refused leaves no empty conversation. */
  #create(): Promise<void> | undefined {
    if (this.#createAtMs === undefined) return undefined;
    const { ingest, format } = this.#options;
    this.#creating ??= ingest
      .create({
        id: this.id,
        key: this.#key(),
        title: this.title,
        channel: channelOf(format, this.#start),
        model: labelOf(this.#start.model) ?? null,
        profileId: labelOf(this.#start.profileId) ?? null,
        atMs: this.#createAtMs,
      })
      .then((info) => {
        this.#info = info;
        this.#isNew = true;
        this.#createAtMs = undefined;
      })
      .finally(() => {
        this.#creating = undefined;
      });
    return this.#creating;
  }

  /** The source's, or one made of its format and id if it has none, or one that no store can look for. */
  #key(): string | null {
    const { ingest, format } = this.#options;
    const key = keyOf(format, this.#start);
    if (this.#start.key === undefined || (key !== null && ingest.isKey(key))) return key;
    this.intake.flags.set("bad-key", 1);
    return keyOf(format, { ...this.#start, key: undefined });
  }

  async #settleKey(info: ConversationInfo): Promise<ConversationInfo> {
    if (this.#isNew) return this.#claimKey(info);
    return this.#followKey(this.#options.isUnfinished ? await this.#claimKey(info) : info);
  }

  /** Only once, so that later imports do not move a key from one conversation to another and back. */
  async #claimKey(info: ConversationInfo): Promise<ConversationInfo> {
    const { ingest, replaced: tell } = this.#options;
    // Another file may have claimed it since.
    const wanted = (await ingest.find(this.id))?.key ?? null;
    if (!isMarked(wanted)) return { ...info, key: wanted };
    const replaced = await ingest.claimKey(this.id);
    if (replaced !== undefined) tell(replaced);
    const key = (await ingest.find(this.id))?.key ?? null;
    if (isMarked(key)) this.intake.flags.set("twin-key", 1);
    return { ...info, key };
  }

  /** Another session key than before leads to it, as its source says. */
  async #followKey(info: ConversationInfo): Promise<ConversationInfo> {
    const { ingest, format, remembered, replaced: tell } = this.#options;
    const { key } = this.#start;
    // One that another file of the tool did not know, and that nobody has.
    const isMissing =
      remembered === undefined && info.key === keyOf(format, { ...this.#start, key: undefined });
    const isSame = remembered === undefined || titleMark(this.id, key ?? null) === remembered.keyMark;
    if ((isSame && !isMissing) || key === undefined || key === info.key) return info;
    const replaced = await ingest.moveKey(this.id, key, isMissing);
    if (replaced !== undefined) tell(replaced);
    return { ...info, key: (await ingest.find(this.id))?.key ?? null };
  }

  /** A title that the user gave stays. */
  async #describe(info: ConversationInfo): Promise<void> {
    const { ingest, format, remembered, isUnfinished } = this.#options;
    const { messagesAdded } = this.tree;
    // The first words of the user name a conversation only while it has no other title.
    const title = info.title === null ? this.title : titleIn(this.#start.title);
    const model = labelOf(this.#start.model);
    const contextState = stateOf(this.#start);
    // A killed import may have left files that say only what the session key implies.
    const channel = isUnfinished ? channelOf(format, this.#start) : null;
    const isOurs = titleMark(this.id, info.title) === (remembered?.titleMark ?? null);
    const isSaid = this.#saidTitles.has(info.title) || info.title === this.#derivedTitle;
    const mayName = info.title === null || isOurs || isSaid;
    const patch = {
      ...(mayName && title !== null && title !== info.title ? { title } : {}),
      ...(model !== undefined && info.model === null ? { model } : {}),
      ...(contextState !== undefined && info.contextState === null ? { contextState } : {}),
      ...(channel !== null && channel !== info.channel ? { channel } : {}),
    };
    const isChanged = Object.keys(patch).length > 0;
    if (isChanged) this.#info = await ingest.update(this.id, patch);
    else this.#info = { ...info, messageCount: info.messageCount + messagesAdded };
  }
}

function isMarked(key: string | null): boolean {
  return key !== null && splitMark(key)[1] !== "";
}
