/** Writes the entries of one conversation to its branches. */
import type { StoredEntry } from "../../../message/types.ts";
import { originalIn } from "../../../store/originals/provenance.ts";
import type { Ingest, ReadyEntry } from "../../../store/write/ingest.ts";
import { isOffPath } from "../../../tree/control.ts";
import { headOf, liveBranches } from "../../../tree/tree.ts";
import type { JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceTree } from "../../contract/reader.ts";
import { type BatchOptions, BatchWriter, type Create, type Outgoing } from "./batch-writer.ts";
import { contentFingerprint, isFinal, KnownEntries, versionId } from "./known-entries.ts";
import { type BranchRef, type Placed, Placement } from "./placement.ts";
import type { PreviewedTree } from "./previews.ts";

/** An entry and where it belongs. */
export interface Placeable {
  readonly ready: ReadyEntry;
  /** The id in the store; `null` starts a new root. */
  readonly parent: string | null;
  /** Its other names. */
  readonly names: readonly string[];
  /** The name of the branch that starts with this entry, if one does. */
  readonly branch?: string | undefined;
  /** It starts a branch even if nothing else follows its parent. */
  readonly isApart?: boolean;
}

const MAIN_NAME = "main";

export class TreeWriter {
  known: KnownEntries;
  readonly #ingest: Ingest;
  readonly #conversation: string;
  /** Count without writing. */
  readonly #isDry: boolean;
  readonly #batches: BatchWriter;
  #placement: Placement = new Placement([{ ref: { id: 0, name: MAIN_NAME }, head: null }]);
  #branchesBefore: number | undefined;
  /** The original that each branch ended in before, by its last entry; those of others if the file is hidden. */
  readonly #endsBefore: Map<string, number | undefined> = new Map();
  #branchesWritten = 0;
  #lastId: string | undefined;
  /** The time of the entry that was put last, for changes of the tree. */
  lastAtMs = 0;
  /** The `seq` of the last entry in the store, and the last entry that is on a path. */
  lastSeq = 0;
  lastOnPath: string | null = null;
  /** Bytes that are being written. */
  bytes = 0;
  /** Messages that the store has taken, or would take. */
  messagesAdded = 0;
  #messagesBefore = 0;

  /** `create`: see `BatchWriter`. */
  constructor(
    options: BatchOptions,
    isDry: boolean,
    create: Create,
    known: KnownEntries = new KnownEntries(),
  ) {
    this.known = known;
    this.#ingest = options.ingest;
    this.#conversation = options.id;
    this.#isDry = isDry;
    this.#batches = new BatchWriter(
      options,
      create,
      () => this.known.complete,
      (ready, seq) => this.#another(ready, seq),
    );
  }

  /** For a run that writes nothing: all messages that it found so far, also in earlier files. */
  get messagesFound(): number {
    return this.#messagesBefore + this.messagesAdded;
  }

  get branches(): number {
    return this.#placement.branches;
  }

  get branchesAdded(): number {
    return this.#isDry ? this.#placement.branches - (this.#branchesBefore ?? 1) : this.#branchesWritten;
  }

  get leaves(): number {
    return this.#placement.leaves;
  }

  /** The first error of a write. Nothing is written after it. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#batches.failure;
  }

  /** The entry that was put last. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** Load the conversation from the store; of its entries, only those after `resumeAfter`. */
  async load(resumeAfter: number | undefined): Promise<void> {
    this.known.complete = resumeAfter === undefined;
    for await (const entry of this.#ingest.log(this.#conversation, resumeAfter ?? 0)) this.known.load(entry);
    const { tree, last, lastSeq } = await this.#ingest.logEnd(this.#conversation);
    const branches = liveBranches(tree).map(({ id, name }) => ({
      ref: { id, name },
      head: headOf(tree, id, last),
    }));
    this.#placement = new Placement(branches);
    this.#branchesBefore ??= branches.length;
    this.lastSeq = lastSeq;
    this.lastOnPath = last;
  }

  /** For a run that writes nothing: what to know in another file of the conversation. */
  preview(): Omit<PreviewedTree, "tails"> {
    const { known } = this;
    return { messages: this.messagesFound, placement: this.#placement.toJSON(), known: known.preview() };
  }

  restore({ messages, placement, known }: Omit<PreviewedTree, "tails">): void {
    if ("preview" in known) this.known = known;
    else this.known.restore(known);
    this.#placement = Placement.from(placement);
    this.#branchesBefore = this.#placement.branches;
    this.#messagesBefore = messages;
  }

  /** Look up which originals the branches end in. */
  async loadEnds(): Promise<void> {
    for (const head of this.#placement.heads) this.#endsBefore.set(head, originalIn(await this.entry(head)));
  }

  /** For a run that writes nothing: all branches so far end in other files. */
  belongsToOthers(): void {
    for (const head of this.#placement.heads) this.#endsBefore.set(head, undefined);
  }

  /** Whether a branch ended with this entry before, which is not of a file: `isFile` tells its originals. */
  isEndOfOther(id: string, isFile: (original: number) => boolean): boolean {
    const original = this.#endsBefore.get(id);
    return this.#endsBefore.has(id) && (original === undefined || !isFile(original));
  }

  /** The store has nothing of the conversation. */
  startsEmpty(): void {
    this.#batches.startsEmpty();
  }

  isHead(id: string): boolean {
    return this.#placement.endingWith(id) !== undefined;
  }

  /** The id in the store for a name in the source, as far as it is known without a query. */
  resolve(name: string): string | undefined {
    const isKnown = this.isHead(name) || (this.#isDry && this.known.seqOf(name) === 0);
    return this.known.idOf(name) ?? (isKnown ? name : undefined);
  }

  /** The `seq` of an entry, from the store if it is not known. Afterwards the name can be resolved. */
  async seqOf(name: string): Promise<number | undefined> {
    // It is being written.
    if (this.known.seqOf(name) === 0 && !this.#isDry) await this.settle();
    const known = this.known.seqOf(name) || undefined;
    if (known !== undefined && this.known.idOf(name) === undefined) await this.#identify(name, known);
    if (known !== undefined || this.#isDry) return known;
    const id = this.known.idOf(name) ?? name;
    const seq = await this.#ingest.locate(this.#conversation, id);
    if (seq !== undefined) this.known.add(id, seq);
    return seq;
  }

  /** The id of an older entry, of which another name is known. Its place may be known before it is written. */
  async #identify(name: string, seq: number): Promise<void> {
    await this.settle();
    const entry = await this.#ingest.entryAt(this.#conversation, seq);
    if (entry !== undefined) this.known.add(entry.id, seq, [name]);
  }

  /** `undefined` when nothing had to be awaited, which is the usual case. */
  put({ ready, parent, names, branch, isApart }: Placeable): Promise<void> | undefined {
    const { id, kind, at, data } = ready.entry;
    this.lastAtMs = Date.parse(at);
    const placed = isOffPath(kind, data) ? this.#nowhere() : this.#placed(id, parent, branch, isApart);
    if (this.#isDry) {
      this.known.add(id, 0, names);
      if (kind === "message") this.messagesAdded++;
      return undefined;
    }
    const outgoing = this.#outgoing(ready, names, () => {
      if (kind === "message") this.messagesAdded++;
    });
    const fork = placed.from === undefined ? undefined : this.#seqAtHand(placed.from);
    if (placed.from !== undefined && fork !== undefined)
      this.#startBranch(placed.branch, placed.from, fork, id);
    else if (placed.from !== undefined || !this.#batches.canAppend(placed.branch)) {
      return this.#putSlowly(placed, outgoing, names);
    }
    this.known.add(id, this.#batches.append(placed.branch, outgoing), names);
    return undefined;
  }

  /** The `seq` of an entry that is known to be in the store. */
  #seqAtHand(from: string | null): number | undefined {
    if (from === null) return 0;
    const seq = this.known.seqOf(from);
    return seq === 0 ? undefined : seq;
  }

  flush(): void {
    this.#batches.flush();
  }

  /** Resolves when everything is in the store. */
  settle(): Promise<void> {
    return this.#batches.settle();
  }

  /** Write nothing more. Resolves when nothing is being written. */
  abandon(): Promise<void> {
    return this.#batches.abandon();
  }

  /** The last entry of the checked-out branch. */
  async shownEntry(): Promise<StoredEntry | undefined> {
    await this.settle();
    const { tree, last } = await this.#ingest.logEnd(this.#conversation);
    const head = headOf(tree, tree.active, last);
    return head === null ? undefined : this.entry(head);
  }

  async entry(id: string): Promise<StoredEntry | undefined> {
    const seq = await this.seqOf(id);
    return seq === undefined ? undefined : this.#ingest.entryAt(this.#conversation, seq);
  }

  /** Check out the branch that ends with the leaf, or a new branch if other entries follow the leaf. */
  async checkout(leaf: string): Promise<void> {
    const found = this.#placement.endingWith(leaf);
    if (found !== undefined && (this.branches === 1 || this.#isDry)) return;
    await this.settle();
    const branch = found ?? (await this.#branchAt(leaf, undefined));
    if (this.#isDry) return;
    const { tree } = await this.#ingest.logEnd(this.#conversation);
    if (branch.id === undefined || tree.active === branch.id) return;
    await this.#control(branch, { type: "checkout", branch: branch.id, name: branch.name });
  }

  /** Restore the shape of the tree in another store: names, branches without entries, undone compactions. */
  async reshape({ branches, active, undone }: SourceTree): Promise<void> {
    await this.settle();
    if (!this.#isDry) await this.#nameTrunk(branches);
    for (const { name, head } of branches) if (head !== null) await this.addBranch(name, head);
    const head = branches.find(({ name }) => name === active)?.head;
    if (head != null && this.resolve(head) !== undefined) await this.checkout(head);
    if (this.#isDry) return;
    const { tree } = await this.#ingest.logEnd(this.#conversation);
    for (const { id, undone: isUndone } of tree.compactions) {
      if (!isUndone && undone.includes(id)) await this.undo(id);
    }
  }

  /** A branch without entries, after `head`. Returns false if the store lacks that entry. */
  async addBranch(name: string, head: string | null): Promise<boolean> {
    if (this.#placement.hasName(name)) return true;
    const from = head === null ? null : this.resolve(head);
    if (from === undefined) return false;
    await this.#branchAt(from, name);
    return true;
  }

  /** Undo a compaction, by its id in the store. */
  async undo(compaction: string): Promise<void> {
    await this.#control(undefined, { type: "undo-compaction", compaction });
  }

  /** There, `main` may be another branch than the first. */
  async #nameTrunk(branches: SourceTree["branches"]): Promise<void> {
    const { tree, last } = await this.#ingest.logEnd(this.#conversation);
    const main = branches.find(({ name }) => name === MAIN_NAME)?.head;
    const trunk = main == null ? undefined : this.#placement.endingWith(main);
    if (trunk?.id === undefined || trunk.id === tree.trunk) return;
    const head = headOf(tree, tree.trunk, last);
    const former = branches.find((branch) => branch.head === head && branch.name !== MAIN_NAME)?.name;
    const name = former ?? this.#placement.freeName("former-main");
    await this.#control(trunk, { type: "flatten", branch: trunk.id, former: name });
    this.#placement.addName(name);
  }

  /** An entry on no branch goes to the end of the log, and nothing follows it. */
  #nowhere(): Placed {
    const current = this.#lastId === undefined ? undefined : this.#placement.endingWith(this.#lastId);
    return { branch: current ?? { id: 0, name: MAIN_NAME } };
  }

  #placed(id: string, parent: string | null, name: string | undefined, isApart = false): Placed {
    this.#lastId = id;
    return isApart ? this.#placement.fork(parent, name, id) : this.#placement.place(id, parent, name);
  }

  #outgoing(ready: ReadyEntry, names: readonly string[] = [], added: () => void = () => {}): Outgoing {
    const bytes = ready.blobs.reduce((sum, { data }) => sum + data.length, ready.entry.json.length);
    this.bytes += bytes;
    return {
      ready,
      bytes,
      written: (seq, isNew) => {
        this.bytes -= bytes;
        if (seq > this.lastSeq && !isOffPath(ready.entry.kind, ready.entry.data)) {
          this.lastOnPath = ready.entry.id;
        }
        this.lastSeq = Math.max(this.lastSeq, seq);
        this.known.add(ready.entry.id, seq, names);
        if (isNew) added();
      },
    };
  }

  /** The store already has this id: a copy is left out, another version is stored under another id. */
  async #another(ready: ReadyEntry, seq: number): Promise<ReadyEntry | undefined> {
    const { id, kind, json } = ready.entry;
    const fingerprint = contentFingerprint(JSON.parse(json));
    const stored = await this.#ingest.wholeEntryAt(this.#conversation, seq);
    if (stored === undefined || isFinal(stored)) return undefined;
    const same =
      kind === stored.kind &&
      contentFingerprint((stored.message ?? stored.data ?? {}) as JsonObject) === fingerprint;
    const other = versionId(id, fingerprint);
    const isKnown = same || (await this.#ingest.locate(this.#conversation, other)) !== undefined;
    return isKnown ? undefined : { ...ready, entry: { ...ready.entry, id: other } };
  }

  /** The entry starts a branch, or the id of its branch is not known yet. */
  async #putSlowly({ branch, from }: Placed, outgoing: Outgoing, names: readonly string[]): Promise<void> {
    const { id } = outgoing.ready.entry;
    await this.settle();
    if (from !== undefined) await this.#makeBranch(branch, from, id);
    this.known.add(id, this.#batches.append(branch, outgoing), names);
  }

  async #branchAt(head: string | null, name: string | undefined): Promise<BranchRef> {
    const { branch } = this.#placement.fork(head, name);
    if (this.#isDry) return branch;
    await this.#makeBranch(branch, head, String(this.lastSeq));
    await this.settle();
    return branch;
  }

  async #makeBranch(branch: BranchRef, from: string | null, mark: string): Promise<void> {
    this.#startBranch(branch, from, from === null ? 0 : ((await this.seqOf(from)) ?? 0), mark);
  }

  /** `mark`: its first entry, or else the end of the log. A branch of that name may have existed and been pruned. */
  #startBranch(branch: BranchRef, from: string | null, seq: number, mark: string): void {
    const id = madeId("branch", this.#conversation, branch.name, from ?? "", mark);
    const data = { type: "branch", name: branch.name, from, from_seq: seq, checkout: false };
    const control = this.#ingest.other("info", id, this.lastAtMs, data);
    const outgoing = this.#outgoing(control, [], () => {
      this.#branchesWritten++;
    });
    this.#batches.begin(branch, outgoing);
  }

  async #control(branch: BranchRef | undefined, data: JsonObject): Promise<void> {
    const id = madeId("control", this.#conversation, this.lastSeq, JSON.stringify(data));
    const control = this.#ingest.other("info", id, this.lastAtMs, data);
    this.#batches.append(branch ?? { id: 0, name: MAIN_NAME }, this.#outgoing(control));
    await this.settle();
  }
}
