/**
 * Writes one conversation, from one file.
 *
 * Readers are synchronous and queue entries; `drain` writes them. This class creates the conversation, sets its title
 * and model, and checks out the branch that the source shows. `EntryIntake` takes the entries.
 */
import type { ConversationInfo } from "../../../engine/index.ts";
import type { Replaced } from "../../../store/write/claim-key.ts";
import type { JsonObject } from "../../../util/json.ts";
import type { SourceConversation } from "../../contract/reader.ts";
import type { RememberedConversation } from "../ledger/conversations.ts";
import type { ConversationOriginals } from "../original/conversation-originals.ts";
import type { Announce } from "../original/original-writer.ts";
import { returnMemory } from "../original/segment-memory.ts";
import { withoutErased } from "../original/without-erased.ts";
import { channelOf, labelOf, patchFor } from "./conversation-start.ts";
import { EntryIntake, type IntakeOptions, type QueuedEntry } from "./entry-intake.ts";
import type { Preview } from "./previews.ts";
import { bytesOf, type Queued, type WritersOriginal } from "./queued.ts";
import { type Naming, SessionKey } from "./session-key.ts";
import { ShownBranch } from "./shown-branch.ts";
import { SourceTitle } from "./title.ts";
import type { TreeWriter } from "./tree-writer.ts";

export interface WriterOptions extends IntakeOptions {
  readonly start: SourceConversation;
  /** Resolves when an earlier file of the run writes nothing more to the conversation. */
  readonly after: Promise<unknown>;
  /** As an earlier import of the file left it. */
  readonly remembered: RememberedConversation | undefined;
  /** An earlier import of the file was killed, and what follows the last entry may not have been done. */
  readonly isUnfinished: boolean;
  /** How other files name it. */
  readonly others: () => readonly Naming[];
  /** The names of its files that their tool hides, as imports before left them. */
  readonly hiddenFiles?: () => readonly string[];
  /** When its file was last changed. */
  readonly modifiedMs: number;
  /** The user wants deleted conversations back. */
  readonly again: boolean;
  /** Where nothing is written: what earlier files would have added. */
  readonly earlier?: () => Preview | undefined;
  /** Another conversation has a different session key now, because this one was used later. */
  readonly replaced: (other: Replaced) => void;
}

export class ConversationWriter {
  readonly intake: EntryIntake;
  readonly #options: WriterOptions;
  readonly #key: SessionKey;
  readonly #shown: ShownBranch;
  /** What the store has, asked for early: by the time it is needed, the answer is there. */
  readonly #found: Promise<[ConversationInfo | undefined, boolean]>;
  #start: SourceConversation;
  readonly #title: SourceTitle;
  #queue: Queued[] = [];
  readonly #originals: Set<ConversationOriginals> = new Set();
  #queuedBytes = 0;
  /** Those of them that a drain has begun to write. */
  #drainingBytes = 0;
  #blobs: string[] = [];
  #draining: Promise<void> = Promise.resolve();
  #begun: Promise<void> | undefined;
  #info: ConversationInfo | undefined;
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
    this.#title = new SourceTitle(options.id, options.remembered?.titleMark ?? null, options.placeholders);
    this.#title.say(options.start.title);
    this.intake = new EntryIntake(options, () => this.#create());
    this.#shown = new ShownBranch(this.intake, options.isUnfinished, options.start);
    const { flags } = this.intake;
    const introduction = (): Promise<JsonObject> => this.intake.introduction();
    this.#key = new SessionKey({ ...options, introduction, onFlag: (flag) => flags.set(flag, 1) });
    const { after } = options;
    this.#found = after.then(() => this.#find());
    // `drain` reports it, too; until then it must not count as unhandled.
    this.#found.catch(() => {});
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
    return this.#title.current(this.#start.verbatim === true);
  }

  get naming(): Naming {
    const { sourceId, createdAt, isCopy } = this.#start;
    return { sourceId, titleMark: this.#title.mark, createdAt, isCopy };
  }

  /** For the next file, where nothing is written. */
  get preview(): Preview {
    const { derived } = this.#title;
    return { start: this.#start, derived, shown: this.#shown.previewed, tree: this.intake.preview() };
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
    this.#title.say(this.#start.title);
  }

  leaf(entryId: string): void {
    this.#shown.leaf = entryId;
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
    const abandoned = this.tree.abandon();
    await this.#draining.catch(() => {});
    await abandoned;
    this.#queue = [];
    this.#blobs = [];
    this.#queuedBytes = 0;
  }

  /** Write everything, check out the branch that the source shows, and set title and model. */
  async finish(): Promise<void> {
    await this.drain();
    if (this.isUnwanted || this.isDropped) return;
    for (const originals of this.#originals) {
      for (const announce of await originals.finish()) await this.#announce(announce);
    }
    if (this.#options.mode === "dry-run") await this.#shown.preview(this.#start, this.#info !== undefined);
    if (this.#options.mode !== "write") return;
    // Only then it is known whether this created the conversation.
    await this.tree.settle();
    const hidden = (): readonly string[] => this.#options.hiddenFiles?.() ?? [];
    await this.#shown.finish(this.#start, [...this.#originals], this.#isNew, hidden);
    for (const originals of this.#originals) await originals.settle();
    // A source may hold a conversation without entries.
    await this.#create();
    if (this.#info !== undefined) await this.#describe(this.#info);
    const deep = this.tree.branches > 1 ? await this.#options.ingest.deepBranches(this.id) : 0;
    if (deep > 0) this.intake.flags.set("deep", deep);
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
    this.#shown.read(queued);
    this.#deriveTitle(queued);
    return this.intake.take(queued);
  }

  /** The entries that were made of it follow it in the queue, or wait for more of their bytes. */
  async #putOriginal(queued: WritersOriginal, queue: readonly Queued[], index: number): Promise<void> {
    if (this.#options.mode === "dry-run") return;
    const segments = withoutErased(queued.segments, this.#erasedOf(queued, queue, index), Date.now());
    await this.#announce(await queued.originals.put({ ...queued, segments }, this.#isNewborn));
  }

  #erasedOf({ waiting = [] }: WritersOriginal, queue: readonly Queued[], index: number): QueuedEntry[] {
    if (this.#isNewborn) return [];
    const isErased = (other: Queued): other is QueuedEntry =>
      !("segments" in other) && this.intake.isErased(other);
    return [...queue.slice(index + 1), ...waiting].filter(isErased);
  }

  #announce(announce: Announce | undefined): Promise<void> | undefined {
    if (announce === undefined || this.#options.mode !== "write") return undefined;
    const ready = announce(this.intake.lastAtMs ?? this.#createdAtMs());
    return this.tree.put({ ready, parent: null, names: [] });
  }

  /** Words that were erased from the store must not come back as its title. */
  #deriveTitle({ entry: { id, message } }: QueuedEntry): void {
    if (this.#title.isDerived || message === undefined || this.tree.known.isErased(id)) return;
    this.#title.derive(message);
  }

  async #loadAll(): Promise<void> {
    this.#wantsAll = false;
    if (!this.intake.isPartial || this.#info?.head == null || this.isUnwanted) return;
    await this.tree.settle();
    await this.tree.load(undefined);
  }

  async #storeBlobs(): Promise<void> {
    if (this.#blobs.length > 0) await this.#options.mayWrite;
    if (this.isDropped) return;
    for (const base64 of this.#blobs.splice(0)) {
      this.#queuedBytes -= base64.length;
      if (this.#options.mode !== "write" || this.isUnwanted) continue;
      await this.#options.ingest.putBlob(Buffer.from(base64, "base64"));
    }
  }

  #find(): Promise<[ConversationInfo | undefined, boolean]> {
    const { ingest, id } = this.#options;
    return Promise.all([ingest.find(id), ingest.wasPurged(id)]);
  }

  async #begin(): Promise<void> {
    const { ingest, mode, resumeAfter, again, mayWrite } = this.#options;
    const isWriting = mode === "write";
    const early = await this.#found;
    // One that exists may have been changed or deleted since.
    const [info, wasPurged] = early[0] === undefined ? early : await this.#find();
    this.#info = info;
    this.#isNewborn = info?.head == null;
    // A conversation that the user purged must not come back.
    this.#isPurged = info === undefined && !again && wasPurged;
    const atMs = this.#createdAtMs();
    if (resumeAfter === undefined) this.intake.lastAtMs = atMs;
    if (this.#info === undefined && isWriting && !this.#isPurged) {
      this.#createAtMs = atMs;
      this.tree.startsEmpty();
    }
    if (again && isWriting && this.#info?.deletedAt != null) {
      await mayWrite;
      if (this.isDropped) return;
      this.#info = (await ingest.restore(this.id)) ?? this.#info;
      if (!this.isTrashed) this.intake.flags.set("restored", 1);
    }
    // What is in the trash cannot be read like a conversation, so what is new in it is not counted.
    const wouldReturn = again && mode === "dry-run" && this.isTrashed;
    if (wouldReturn) this.intake.flags.set("restored", 1);
    else if (this.isUnwanted) this.intake.flags.set(this.#isPurged ? "purged" : "in-trash", 1);
    else if (this.#info?.head != null) await this.#load(resumeAfter);
    else if (isWriting && this.#start.verbatim !== true) this.intake.introduce(this.#start, atMs);
    if (!isWriting) this.#restore(this.#options.earlier?.(), atMs);
  }

  /** Nothing is written: what earlier files would have added is known from their previews. */
  #restore(earlier: Preview | undefined, atMs: number): void {
    this.#title.restore(earlier?.derived);
    if (this.isUnwanted || this.#options.mode === "verify") return;
    if (earlier?.tree !== undefined) {
      this.intake.restore(earlier.tree);
      this.#shown.restore(earlier.shown);
    } else if (this.#info?.head == null && this.#start.verbatim !== true) {
      this.intake.introduce(this.#start, atMs);
    }
  }

  async #load(resumeAfter: number | undefined): Promise<void> {
    await this.tree.load(resumeAfter);
    if (this.#start.isHidden === true) await this.tree.loadEnds();
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
        key: this.#key.wanted(this.#start),
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

  async #describe(before: ConversationInfo): Promise<void> {
    const { ingest, format, isUnfinished, others } = this.#options;
    const { messagesAdded } = this.tree;
    const { info, named } = await this.#key.settle(before, this.#start, this.#isNew);
    const given = (): (string | null)[] => others().map((other) => other.titleMark);
    const title = this.#title.next(info, this.#start.verbatim === true, named, given);
    const patch = {
      ...(title === info.title ? {} : { title }),
      ...patchFor(info, this.#start, format, isUnfinished),
    };
    const isChanged = Object.keys(patch).length > 0;
    if (isChanged) this.#info = await ingest.update(this.id, patch);
    else this.#info = { ...info, messageCount: info.messageCount + messagesAdded };
  }
}
