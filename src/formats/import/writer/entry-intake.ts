/**
 * Takes the entries of one conversation, in the order in which readers add them.
 *
 * A copy of a known entry is left out, another version of it is kept beside
 * it, an entry that the user pruned stays away, and all others go to the tree.
 */
import { isPlainObject, type JsonObject } from "../../../util/json.ts";
import type { SourceConversation, SourceRecord } from "../../contract/reader.ts";
import type { ConversationOriginals } from "../original/conversation-originals.ts";
import { fileName } from "../original/file-name.ts";
import type { TextPlaceholders } from "../text-placeholders.ts";
import { attachFiles, lacksFiles } from "./attach-files.ts";
import type { BatchOptions, Create } from "./batch-writer.ts";
import { introduction, introductionId } from "./conversation-start.ts";
import { contentFingerprint, KnownEntries, versionId } from "./known-entries.ts";
import type { PreviewedTree } from "./previews.ts";
import {
  firstKeptOf,
  type PreparedEntry,
  type ReadEntry,
  toStoredEntry,
  type UnboundEntry,
} from "./stored-entry.ts";
import { TreeWriter } from "./tree-writer.ts";

/** An entry has other versions, and an answer parts, near the end of a file, where the next import goes on. */
const NAMES_KEPT_MAX = 100;

/** What the import does with the entries that readers add. */
export type Mode = "write" | "dry-run" | "verify";

export interface QueuedEntry extends ReadEntry {
  /** As the reader names it, or the entry that it added before. */
  readonly parent: string | null;
  /** The entry that the same file added before, in case the parent is missing. */
  readonly after: string | null;
  /** Where its first record begins. */
  readonly place?: Pick<SourceRecord, "line" | "offset"> | undefined;
  /** About its size in the store. */
  readonly bytes: number;
  readonly originals: ConversationOriginals | undefined;
}

export interface IntakeOptions extends BatchOptions {
  readonly mode: Mode;
  readonly format: string;
  /** The number of the last entry that an earlier import wrote: entries before it need not be loaded. */
  readonly resumeAfter: number | undefined;
  readonly placeholders: TextPlaceholders;
  readonly unresolved: (reference: string) => void;
  readonly missing: (queued: QueuedEntry) => void;
  /** See `KnownEntries`. */
  readonly namesMax?: number | undefined;
}

export class EntryIntake {
  readonly tree: TreeWriter;
  readonly flags: Map<string, number> = new Map();
  /** Entries whose last version has a different id: entries that follow them follow that version. */
  readonly #versions: Map<string, string> = new Map();
  /** Answers that earlier imports have stored in parts, and results between these: what follows them follows the last. */
  readonly #tails: Map<string, string> = new Map();
  readonly #options: IntakeOptions;
  readonly #rootId: string;
  /** The time of the last entry, used for an entry without a time. */
  lastAtMs: number | undefined;

  constructor(options: IntakeOptions, create: Create) {
    this.#options = options;
    const { mode, namesMax } = options;
    this.tree = new TreeWriter(options, mode !== "write", create, new KnownEntries(namesMax));
    this.#rootId = introductionId(options.id);
  }

  /** For the ledger: of an earlier import of the file, its last ones are needed. */
  save(): JsonObject {
    return { versions: lastOf(this.#versions), tails: lastOf(this.#tails) };
  }

  /** As an earlier import of the file left it. */
  resume({ versions, tails }: JsonObject): void {
    for (const [name, id] of stringsIn(versions)) {
      this.#versions.set(name, id);
      this.tree.known.addName(name, id);
    }
    for (const [name, last] of stringsIn(tails)) this.#tails.set(name, last);
  }

  /** What another file of the conversation has to know, which this run does not write. */
  preview(): PreviewedTree | undefined {
    return this.#options.mode === "dry-run" ? { ...this.tree.preview(), tails: [...this.#tails] } : undefined;
  }

  restore({ tails, ...tree }: PreviewedTree): void {
    for (const [name, last] of tails) this.#tails.set(name, last);
    this.tree.restore(tree);
  }

  /** The first entry, which says where the conversation comes from. */
  introduce(start: SourceConversation, atMs: number): void {
    const { ingest, format } = this.#options;
    const ready = ingest.other("info", this.#rootId, atMs, introduction(format, start));
    this.tree.put({ ready, parent: null, names: [] });
  }

  /** What the first entry says. */
  async introduction(): Promise<JsonObject> {
    const { data } = (await this.tree.entry(this.#rootId)) ?? {};
    return isPlainObject(data) ? (data as JsonObject) : {};
  }

  /** The originals that were files of these names. */
  async originalsOf(names: readonly string[]): Promise<ReadonlySet<number>> {
    const { ingest, id } = this.#options;
    const originals = names.length === 0 ? [] : await ingest.originals(id);
    return new Set(originals.flatMap(({ file, number }) => (names.includes(fileName(file)) ? number : [])));
  }

  /** Only the newest entries of the conversation are known. */
  get isPartial(): boolean {
    return this.#options.resumeAfter !== undefined && !this.tree.known.complete;
  }

  /** The user redacted or pruned it, or what it follows: the original must not bring it back either. */
  isErased(queued: QueuedEntry): boolean {
    return this.#isPruned(queued) || this.tree.known.isErased(queued.entry.id);
  }

  /** `undefined` when nothing had to be awaited, which is the usual case. */
  take(queued: QueuedEntry): Promise<void> | undefined {
    if (this.#isPruned(queued)) return undefined;
    if (this.tree.known.holds(queued.entry)) {
      this.lastAtMs = queued.entry.at ?? this.lastAtMs;
      this.#noteTail(queued);
      return undefined;
    }
    if (this.#options.mode === "verify") return this.#verify(queued);
    if (this.tree.known.mayBeStored(queued.entry.id)) return this.#lookUp(queued);
    return this.#takeNew(queued);
  }

  #noteTail({ entry: { id, aliases = [] }, parent }: QueuedEntry): void {
    const { known } = this.tree;
    const above = parent === null ? undefined : this.#tails.get(parent);
    let last = id;
    for (const name of above === undefined ? aliases : [...aliases, above]) {
      if ((known.seqOf(name) ?? 0) > (known.seqOf(last) ?? 0)) last = name;
    }
    if (last !== id) this.#tails.set(id, last);
  }

  /** The store has the content of files instead of references to them. */
  #verify(queued: QueuedEntry): Promise<void> | undefined {
    const check = (entry: PreparedEntry): void => {
      const { known } = this.tree;
      const { id, message, data } = entry;
      const isCopy = lacksFiles(entry) && known.idOf(id) !== undefined;
      if (!isCopy && !known.holds({ ...queued.entry, message, data })) this.#options.missing(queued);
    };
    const prepared = attachFiles(queued, this.#options.unresolved);
    return prepared instanceof Promise ? prepared.then(check) : void check(prepared);
  }

  /** The store may have it among the entries that were not loaded. */
  async #lookUp(queued: QueuedEntry): Promise<void> {
    await this.tree.seqOf(queued.entry.id);
    await this.#takeNew(queued);
  }

  /** A pruned entry does not come back, and neither do those that followed it. */
  #isPruned({ entry, parent }: QueuedEntry): boolean {
    const { known } = this.tree;
    const isPruned = known.isRemoved(entry.id) || (parent !== null && known.isRemoved(parent));
    if (isPruned) known.remove([entry.id, ...(entry.aliases ?? [])]);
    return isPruned;
  }

  #takeNew(queued: QueuedEntry): Promise<void> | undefined {
    const prepared = attachFiles(queued, this.#options.unresolved);
    const isKnownId = this.tree.known.idOf(queued.entry.id) !== undefined;
    if (isKnownId || prepared instanceof Promise) return this.#takeVersion(queued, prepared, isKnownId);
    return this.#place(queued, prepared);
  }

  /** The same id again is a copy, which is left out, or another version, which is kept beside the first. */
  async #takeVersion(
    queued: QueuedEntry,
    preparing: PreparedEntry | Promise<PreparedEntry>,
    isKnownId: boolean,
  ): Promise<void> {
    const prepared = await preparing;
    if (!isKnownId) return this.#place(queued, prepared);
    // Its tool has deleted them, or only the transcript was copied: the first one may have them.
    if (lacksFiles(prepared)) return;
    const { message, data } = prepared;
    if (this.tree.known.holds({ ...queued.entry, message, data })) return;
    const fingerprint = contentFingerprint(contentOf(prepared));
    const id = versionId(prepared.id, fingerprint);
    if (this.tree.known.idOf(id) !== undefined) return;
    if ((await this.#storedFingerprint(prepared.id)) === fingerprint) return;
    return this.#place(queued, { ...prepared, id, flags: [...prepared.flags, "duplicate-id"] });
  }

  async #storedFingerprint(name: string): Promise<string | undefined> {
    const seq = await this.tree.seqOf(name);
    if (seq === undefined) return undefined;
    // It is on its way there.
    if (seq > this.tree.lastSeq) await this.tree.settle();
    const stored = await this.#options.ingest.wholeEntryAt(this.#options.id, seq);
    return stored && contentFingerprint(contentOf(stored));
  }

  #place(queued: QueuedEntry, prepared: PreparedEntry): Promise<void> | undefined {
    const firstKept = firstKeptOf(prepared);
    const { parent } = queued;
    const { tree } = this;
    const isAtHand = parent === null || tree.resolve(parent) !== undefined || !tree.known.mayBeStored(parent);
    if (firstKept === undefined && isAtHand) return this.#put(queued, prepared);
    return this.#placeAfterLookup(queued, prepared, firstKept);
  }

  async #placeAfterLookup(
    queued: QueuedEntry,
    prepared: PreparedEntry,
    firstKept: string | undefined,
  ): Promise<void> {
    if (queued.parent !== null) await this.tree.seqOf(queued.parent);
    const seq = firstKept === undefined ? undefined : await this.tree.seqOf(firstKept);
    const data = seq === undefined ? prepared.data : { ...prepared.data, first_kept_seq: seq };
    await this.#put(queued, { ...prepared, data });
  }

  #put(queued: QueuedEntry, prepared: PreparedEntry): Promise<void> | undefined {
    const { entry, origin } = queued;
    const { ingest, mode, placeholders } = this.#options;
    const parent = this.#parentOf(queued);
    const odd = parent.isMissing ? [...prepared.flags, "missing-parent"] : prepared.flags;
    const flags = ingest.allowsCircularReferences ? odd.filter((flag) => flag !== "cycle") : odd;
    for (const flag of flags) this.flags.set(flag, (this.flags.get(flag) ?? 0) + 1);
    this.lastAtMs = entry.at ?? this.lastAtMs ?? origin.around.modifiedMs;
    const original = queued.form === undefined ? undefined : queued.originals?.numberOf(queued.form);
    const ready = toStoredEntry(ingest, { ...prepared, flags }, original, this.lastAtMs, placeholders);
    if (mode === "dry-run") this.tree.known.note(prepared.id, contentOf(prepared));
    if (prepared.id !== entry.id) this.#versions.set(entry.id, prepared.id);
    const names = namesOf(entry, prepared.id);
    const isApart = this.#isApart(parent.id, queued);
    return this.tree.put({ ready, parent: parent.id, names, branch: entry.branch, isApart });
  }

  /** An archived file is not shown, so it does not continue the branch of another one. */
  #isApart(parent: string | null, { entry, originals }: QueuedEntry): boolean {
    if (parent === null || parent === this.#rootId) return false;
    if (entry.startsBranch === true) return true;
    return this.tree.isEndOfOther(parent, (original) => originals?.isFile(original) === true);
  }

  /** An entry whose parent is missing follows the entry that was added before it. */
  #parentOf({ parent, after }: QueuedEntry): { readonly id: string | null; readonly isMissing: boolean } {
    const root = this.tree.isHead(this.#rootId) ? this.#rootId : null;
    if (parent === null) return { id: root, isMissing: false };
    const id = this.tree.resolve(this.#tails.get(parent) ?? parent);
    if (id !== undefined) return { id, isMissing: false };
    this.#options.unresolved(`entry ${parent}, the parent of another entry`);
    const before = after === null ? undefined : this.tree.resolve(after);
    return { id: before ?? this.tree.lastId ?? root, isMissing: true };
  }
}

function contentOf({ message, data }: { readonly message?: unknown; readonly data?: unknown }): JsonObject {
  return (message ?? data ?? {}) as JsonObject;
}

/** Names by which a source may refer to an entry, besides its id in the store. */
function namesOf({ aliases = [], id: sourceId }: UnboundEntry, id: string): readonly string[] {
  return id === sourceId ? aliases : [...aliases, sourceId];
}

function lastOf(names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries([...names].slice(-NAMES_KEPT_MAX));
}

function stringsIn(saved: unknown): [string, string][] {
  const members = isPlainObject(saved) ? Object.entries(saved) : [];
  return members.filter((member): member is [string, string] => typeof member[1] === "string");
}
