/** Operations on the tree of a conversation. Each one is an entry in the log. */

import { ColloquyError } from "../../errors.ts";
import type { Entry, LabelEntry, MessageEntry } from "../../message/types.ts";
import { checkEntryId, checkLabel, checkOperationId, checkProperties } from "../../message/validate.ts";
import {
  depthWarnings,
  describeBranch,
  describeBranches,
  type BranchInfo as PlainBranch,
} from "../../tree/branches.ts";
import { noBranch } from "../../tree/control.ts";
import { compare } from "../../tree/path.ts";
import { type Branch, branchByName, liveBranches, ownerOf, type Tree } from "../../tree/tree.ts";
import type { JsonObject } from "../../util/json.ts";
import { sha256Hex } from "../../util/sha256.ts";
import type { StoreAccess } from "../access.ts";
import { branchNamed, findEntry, logEndOf, noEntry, readRanges } from "../read/lookups.ts";
import {
  type Messages,
  NO_OPTIONS,
  type PendingEntry,
  pendingEntry,
  pendingMessages,
  write,
} from "../write/writing.ts";

export interface BranchInfo extends PlainBranch {
  /** Set when the branch is very deep. */
  readonly warning: string | null;
}

export interface BranchOptions {
  /** At most 256 bytes. Default: the first free name of `branch-1`, `branch-2` and so on. */
  readonly name?: string;
  /** Also check it out. Default: false. */
  readonly checkout?: boolean;
}

/** A branch after a change. */
export interface BranchResult<T extends Entry = MessageEntry> {
  readonly branch: BranchInfo;
  /** The entries that were written to it. */
  readonly entries: readonly T[];
  /** Set when the branch is very deep. */
  readonly warnings: readonly string[];
}

export interface EditOptions {
  readonly name?: string;
  readonly operationId?: string;
}

export interface Comparison {
  /** The last entry that both have; `null` if they share none. */
  readonly commonAncestor: string | null;
  /** The entries that each has after it. */
  readonly a: Entry[];
  readonly b: Entry[];
}

/** How often to choose another name when a concurrent writer takes it first. */
const NAME_ATTEMPTS = 5;

export class Branching {
  readonly #store: StoreAccess;
  readonly #id: string;

  constructor(store: StoreAccess, id: string) {
    this.#store = store;
    this.#id = id;
  }

  async branch(from: string | null, options: BranchOptions): Promise<BranchResult> {
    checkProperties(options, BRANCH_MEMBERS, "options");
    const fork = await this.#fork(from);
    const { id } = await this.#create(fork, options.name, options.checkout === true, [], undefined);
    return this.#warnOf(await this.#result(id));
  }

  async branches(): Promise<BranchInfo[]> {
    const { tree, lastSeq, last } = await logEndOf(this.#store, this.#id);
    return this.#warned(describeBranches(tree, lastSeq, last));
  }

  async checkout(name: string): Promise<BranchResult> {
    const checked = checkLabel(name, "branch");
    this.#assertTree();
    const { tree } = await logEndOf(this.#store, this.#id);
    const branch = branchByName(tree, checked);
    if (branch === undefined) throw noBranch(checked);
    if (branch.id !== tree.active)
      await this.#control({ type: "checkout", branch: branch.id, name: checked });
    return this.#result(branch.id);
  }

  async flatten(): Promise<BranchResult> {
    this.#assertTree();
    await this.#naming("former-main", (tree, former) => {
      if (tree.active === tree.trunk) return undefined;
      return [this.#pending({ type: "flatten", branch: tree.active, former })];
    });
    const { tree } = await logEndOf(this.#store, this.#id);
    return this.#result(tree.trunk);
  }

  /** A new `main` with only these messages; the previous one stays as a branch. */
  async replaceTranscript(messages: Messages): Promise<BranchResult> {
    // An empty list is valid: the conversation starts over without messages.
    const isEmpty = Array.isArray(messages) && messages.length === 0;
    const pending = isEmpty ? [] : pendingMessages(this.#store, messages, this.#store.nowMs());
    this.#store.assertWritable();
    const entries = await this.#naming("generation", (_, former) => [
      this.#pending({ type: "branch", name: "main", from: null, fromSeq: 0, checkout: true, former }),
      ...pending,
    ]);
    return this.#result((entries[0] as Entry).seq, entries.slice(1) as MessageEntry[]);
  }

  /** Another version of an entry, on a new branch that is checked out. The entry itself is kept. */
  async edit(entryId: string, messages: Messages, options: EditOptions): Promise<BranchResult> {
    checkProperties(options, EDIT_MEMBERS, "options");
    if (options.operationId !== undefined) checkOperationId(options.operationId);
    const pending = pendingMessages(this.#store, messages, this.#store.nowMs());
    const fork = await this.#forkBefore(entryId);
    const { operationId, name = operationId && nameFor(operationId) } = options;
    const { id, entries } = await this.#create(fork, name, true, pending, operationId);
    return this.#warnOf(await this.#result(id, entries.slice(1) as MessageEntry[]));
  }

  async regenerate(entryId: string, options: { readonly name?: string }): Promise<BranchResult> {
    checkProperties(options, REGENERATE_MEMBERS, "options");
    const fork = await this.#forkBefore(entryId);
    const { id } = await this.#create(fork, options.name, true, [], undefined);
    return this.#warnOf(await this.#result(id));
  }

  async label(entryId: string, label: string | null): Promise<LabelEntry> {
    const entry = checkEntryId(entryId);
    const text = label === null ? null : checkLabel(label, "label");
    this.#store.assertWritable();
    await this.#seqOf(entry);
    const nowMs = this.#store.nowMs();
    const pending = pendingEntry(this.#store, "label", { entry, label: text }, nowMs);
    const { entries } = await write(this.#store, this.#id, [pending], NO_OPTIONS, nowMs);
    return entries[0] as LabelEntry;
  }

  async labels(): Promise<{ readonly entry: string; readonly label: string }[]> {
    const { tree } = await logEndOf(this.#store, this.#id);
    return tree.labels.map(([entry, label]) => ({ entry, label }));
  }

  async compare(a: string, b: string): Promise<Comparison> {
    const logEnd = await logEndOf(this.#store, this.#id);
    const [left, right] = [a, b].map((name) => branchNamed(logEnd.tree, checkLabel(name, "branch")));
    const parted = compare(logEnd.tree, (left as Branch).id, (right as Branch).id, logEnd.lastSeq);
    const [common] =
      parted.commonSeq === 0
        ? []
        : await readRanges(this.#store, this.#id, a, [[parted.commonSeq, parted.commonSeq]]);
    return {
      commonAncestor: common?.id ?? null,
      a: await readRanges(this.#store, this.#id, a, parted.a),
      b: await readRanges(this.#store, this.#id, b, parted.b),
    };
  }

  async #create(
    fork: Fork,
    name: string | undefined,
    checkout: boolean,
    pending: readonly PendingEntry[],
    operationId: string | undefined,
  ): Promise<{ id: number; entries: readonly Entry[] }> {
    this.#assertTree();
    const data = (chosen: string): PendingEntry =>
      this.#pending({ type: "branch", name: chosen, from: fork.id, fromSeq: fork.seq, checkout });
    const named = name === undefined ? undefined : checkLabel(name, "name");
    const entries =
      named === undefined
        ? await this.#naming("branch", (_, free) => [data(free), ...pending], operationId)
        : await this.#write([data(named), ...pending], operationId);
    // A branch has the number of the entry that made it, whatever its current name is.
    return { id: (entries[0] as Entry).seq, entries };
  }

  async #write(pending: readonly PendingEntry[], operationId: string | undefined): Promise<readonly Entry[]> {
    const options = { operationId, expectedHead: undefined };
    return (await write(this.#store, this.#id, pending, options, this.#store.nowMs())).entries;
  }

  /** Write something that needs a free name, and choose again when a concurrent writer was faster. */
  async #naming(
    stem: string,
    make: (tree: Tree, name: string) => PendingEntry[] | undefined,
    operationId?: string,
  ): Promise<readonly Entry[]> {
    for (let attempt = 1; ; attempt++) {
      const { tree } = await logEndOf(this.#store, this.#id);
      const pending = make(tree, freeName(tree, stem));
      if (pending === undefined) return [];
      try {
        return await this.#write(pending, operationId);
      } catch (error) {
        const taken = error instanceof ColloquyError && error.code === "CONFLICT" && error.field === "name";
        if (!taken || attempt === NAME_ATTEMPTS) throw error;
      }
    }
  }

  #pending(data: JsonObject): PendingEntry {
    return pendingEntry(this.#store, "info", data, this.#store.nowMs());
  }

  async #control(data: JsonObject): Promise<void> {
    await write(this.#store, this.#id, [this.#pending(data)], NO_OPTIONS, this.#store.nowMs());
  }

  async #fork(from: string | null): Promise<Fork> {
    if (from === null) return { id: null, seq: 0 };
    const id = checkEntryId(from, "from");
    return { id, seq: await this.#seqOf(id) };
  }

  /** The position before an entry, where its siblings start. */
  async #forkBefore(entryId: string): Promise<Fork> {
    const checked = checkEntryId(entryId);
    const entry = await findEntry(this.#store, this.#id, checked);
    if (entry === undefined) throw noEntry(this.#id, checked);
    return this.#fork(entry.parentId);
  }

  async #seqOf(entryId: string): Promise<number> {
    const seq = await this.#store.ask((engine) => engine.locate(this.#id, entryId));
    if (seq === undefined) throw noEntry(this.#id, entryId);
    return seq;
  }

  #assertTree(): void {
    this.#store.assertWritable();
    this.#store.assertTree();
  }

  #warned(branches: readonly PlainBranch[]): BranchInfo[] {
    const { depthLimits } = this.#store;
    return branches.map((branch) => ({
      ...branch,
      warning: depthWarnings([branch], depthLimits)[0] ?? null,
    }));
  }

  /** The branch on which an entry was written. */
  async resultOf<T extends Entry>(entry: T): Promise<BranchResult<T>> {
    const { tree } = await logEndOf(this.#store, this.#id);
    return this.#result(ownerOf(tree, entry.seq), [entry]);
  }

  async #result<T extends Entry>(id: number, entries: readonly T[] = []): Promise<BranchResult<T>> {
    const { tree, lastSeq, last } = await logEndOf(this.#store, this.#id);
    const found = liveBranches(tree).find((branch) => branch.id === id);
    if (found === undefined) throw noBranch(String(id));
    const [branch] = this.#warned([describeBranch(tree, found, lastSeq, last)]) as [BranchInfo];
    return { branch, entries, warnings: branch.warning === null ? [] : [branch.warning] };
  }

  #warnOf(result: BranchResult): BranchResult {
    for (const warning of result.warnings) this.#store.warn(warning);
    return result;
  }
}

interface Fork {
  readonly id: string | null;
  readonly seq: number;
}

const BRANCH_MEMBERS: ReadonlySet<string> = new Set(["name", "checkout"]);
const EDIT_MEMBERS: ReadonlySet<string> = new Set(["name", "operationId"]);
const REGENERATE_MEMBERS: ReadonlySet<string> = new Set(["name"]);
/** A retry must choose the same name, and an operation id can be any string. */
function nameFor(operationId: string): string {
  return `edit-${sha256Hex(operationId).slice(0, 12)}`;
}

function freeName(tree: Tree, stem: string): string {
  const taken = new Set(liveBranches(tree).map(({ name }) => name));
  const first = stem === "former-main" ? stem : `${stem}-1`;
  for (let count = 1; ; count++) {
    const name = count === 1 ? first : `${stem}-${count}`;
    if (!taken.has(name)) return name;
  }
}
