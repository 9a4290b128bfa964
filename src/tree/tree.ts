/**
 * The tree of a conversation, as a fold over its log.
 *
 * A log is a sequence of *runs*: consecutive entries that belong to one
 * branch. A branch is the point where it forks plus its own runs, so its path
 * is a short list of `seq` ranges. Reading a path never follows parents, so
 * damaged parents, even a cycle, cannot trap a reader.
 *
 * Everything that changes the tree is an entry of the log. An engine that
 * keeps *marks* (the entries that begin a run or are not messages) can fold
 * these alone; most conversations have none.
 */
import { isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import { countUpTo } from "./binary-search.ts";
import { runsOf, TreeBuilder } from "./tree-builder.ts";

/** The id of the first branch. The id of any other is the `seq` of the entry that created it. */
export const MAIN = 0;
/** The branch of entries that describe the tree and belong to no branch. */
export const OFF_PATH = -1;
export const MAIN_NAME = "main";

export interface Branch {
  readonly id: number;
  readonly name: string;
  readonly createdAt: string | null;
  /** The branch that this one forks from; `null` for the first. */
  readonly origin: number | null;
  /** The last `seq` that it shares with its origin; 0 if it shares nothing. */
  readonly forkSeq: number;
  readonly forkedFrom: string | null;
  /** The last entry of its path when the log last switched to another branch. */
  readonly head: string | null;
}

/** A summary that replaces everything before `firstKeptSeq` on its branch. */
export interface Compaction {
  readonly id: string;
  readonly seq: number;
  readonly branch: number;
  readonly firstKeptSeq: number;
  readonly undone: boolean;
}

/** Where the log switches to another branch: the first `seq`, and the branch. */
export type Run = readonly [number, number];

export interface Tree {
  /** The branch that is checked out. */
  readonly active: number;
  /** The branch that is called `main`. */
  readonly trunk: number;
  /** The branch of the last entry. */
  readonly current: number;
  /** In order of id, which is the order of creation. Includes pruned branches, whose entries others may share. */
  readonly branches: readonly Branch[];
  readonly pruned: readonly number[];
  readonly runs: readonly Run[];
  /** Entries on a path that are not messages. */
  readonly others: readonly number[];
  readonly compactions: readonly Compaction[];
  /** Pairs of entry id and label. */
  readonly labels: readonly (readonly [string, string])[];
}

/** A conversation that was never branched. */
export const PLAIN: Tree = {
  active: MAIN,
  trunk: MAIN,
  current: MAIN,
  branches: [
    { id: MAIN, name: MAIN_NAME, createdAt: null, origin: null, forkSeq: 0, forkedFrom: null, head: null },
  ],
  pruned: [],
  runs: [[1, MAIN]],
  others: [],
  compactions: [],
  labels: [],
};

/** An entry that changes the tree. */
export interface Mark {
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly branch: number;
  readonly data: Json | undefined;
}

/** Whether an entry changes the tree. A message that continues the branch of the last entry does not. */
export function isMark(tree: Pick<Tree, "current">, kind: string, branch: number): boolean {
  return branch !== tree.current || kind !== "message";
}

/** The tree after `mark`. `before` is the last entry on a path before it. */
export function fold(tree: Tree, mark: Mark, before: string | null): Tree {
  return foldAll(tree, [[mark, before]]);
}

/** `fold` for many marks, each with the last entry on a path before it. */
export function foldAll(tree: Tree, marks: Iterable<readonly [Mark, before: string | null]>): Tree {
  let builder: TreeBuilder | undefined;
  for (const [mark, before] of marks) {
    if (!isMark(builder ?? tree, mark.kind, mark.branch)) continue;
    builder ??= new TreeBuilder(tree);
    applyMark(builder, mark, before);
  }
  return builder?.tree() ?? tree;
}

function applyMark(builder: TreeBuilder, mark: Mark, before: string | null): void {
  if (mark.branch !== builder.current) switchBranch(builder, mark, before);
  if (mark.kind === "message") return;
  applyControl(builder, mark, isPlainObject(mark.data) ? (mark.data as JsonObject) : {});
  if (mark.branch !== OFF_PATH) builder.others = builder.others.plus(mark.seq);
}

function switchBranch(builder: TreeBuilder, { seq, branch }: Mark, before: string | null): void {
  updateBranch(builder, builder.current, { head: before });
  // The entry that created the branch is damaged; the entries on it are still there.
  if (branch !== OFF_PATH && branchById(builder, branch) === undefined) builder.putBranch(recovered(branch));
  builder.current = branch;
  builder.runs = builder.runs.plus([seq, branch]);
}

/** Does nothing if there is no such branch. */
function updateBranch(builder: TreeBuilder, id: number, changed: Partial<Branch>): void {
  const branch = branchById(builder, id);
  if (branch !== undefined) builder.putBranch({ ...branch, ...changed });
}

function recovered(id: number): Branch {
  return {
    id,
    name: `recovered-${id}`,
    createdAt: null,
    origin: MAIN,
    forkSeq: 0,
    forkedFrom: null,
    head: null,
  };
}

function applyControl(builder: TreeBuilder, mark: Mark, data: JsonObject): void {
  if (mark.kind === "label") setLabel(builder, data);
  if (mark.kind === "compaction") addCompaction(builder, mark, data);
  if (mark.kind !== "info") return;
  switch (data.type) {
    case "branch":
      addBranch(builder, mark, data);
      break;
    case "checkout":
      builder.active = liveBranchId(builder, data.branch) ?? builder.active;
      break;
    case "flatten":
      setTrunk(builder, liveBranchId(builder, data.branch) ?? builder.active, data.former);
      break;
    case "prune":
      prune(builder, data);
      break;
    case "undo-compaction":
      undoCompaction(builder, data);
      break;
    default:
      break;
  }
}

function addBranch(builder: TreeBuilder, { seq, at }: Mark, data: JsonObject): void {
  const forkSeq = Math.min(seqIn(data.from_seq) ?? 0, seq - 1);
  const owner = ownerIn(builder.runs, builder.trunk, forkSeq);
  const forkedFrom = typeof data.from === "string" ? data.from : null;
  builder.putBranch({
    id: seq,
    name: textIn(data.name) ?? `recovered-${seq}`,
    createdAt: at,
    // A damaged entry may name one that is on no branch.
    origin: owner === OFF_PATH ? builder.trunk : owner,
    forkSeq,
    forkedFrom,
    head: forkedFrom,
  });
  if (data.checkout === true) builder.active = seq;
  if (textIn(data.former) !== undefined) setTrunk(builder, seq, data.former);
}

/** Names `trunk` `main` from now on and renames the branch that had the name. */
function setTrunk(builder: TreeBuilder, trunk: number, former: Json | undefined): void {
  builder.active = trunk;
  if (trunk === builder.trunk) return;
  updateBranch(builder, trunk, { name: MAIN_NAME });
  updateBranch(builder, builder.trunk, { name: textIn(former) ?? `recovered-${builder.trunk}` });
  builder.trunk = trunk;
}

/** Never prunes the active branch or `main`, even if a damaged entry says so. */
function prune(builder: TreeBuilder, { branches }: JsonObject): void {
  const named = Array.isArray(branches) ? branches.flatMap((id) => liveBranchId(builder, id) ?? []) : [];
  for (const id of named.sort((a, b) => a - b))
    if (id !== builder.active && id !== builder.trunk) builder.pruned.add(id);
}

function setLabel({ labels }: TreeBuilder, data: JsonObject): void {
  const [entry, text] = [textIn(data.entry), textIn(data.label)];
  if (entry === undefined) return;
  // A changed label moves to the end of the list.
  labels.delete(entry);
  if (text !== undefined) labels.set(entry, text);
}

function addCompaction({ compactions }: TreeBuilder, { id, seq, branch }: Mark, data: JsonObject): void {
  const firstKeptSeq = seqIn(data.first_kept_seq) ?? seq;
  compactions.push({ id, seq, branch, firstKeptSeq, undone: false });
}

function undoCompaction({ compactions }: TreeBuilder, data: JsonObject): void {
  for (const [index, compaction] of compactions.entries())
    if (compaction.id === data.compaction) compactions[index] = { ...compaction, undone: true };
}

/** Entries may come from damaged files, so a value of the wrong type counts as missing. */
function textIn(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function seqIn(value: Json | undefined): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;
}

/** `id`, if it is the id of a branch that was not pruned. */
function liveBranchId(builder: TreeBuilder, id: Json | undefined): number | undefined {
  if (typeof id !== "number" || branchById(builder, id) === undefined) return undefined;
  return builder.pruned.has(id) ? undefined : id;
}

/** The branch that wrote entry `seq`; the trunk for 0, the position before the first entry. */
export function ownerOf(tree: Tree, seq: number): number {
  return ownerIn(runsOf(tree), tree.trunk, seq);
}

function ownerIn(runs: Pick<readonly Run[], "length" | "at">, trunk: number, seq: number): number {
  if (seq === 0) return trunk;
  const index = countUpTo(runs, seq, ([from]) => from) - 1;
  return runs.at(Math.max(0, index))?.[1] ?? MAIN;
}

/** The last entry of a branch's path. `last` is the last entry of the log that is on a path. */
export function headOf(tree: Tree, branch: number, last: string | null): string | null {
  return branch === tree.current ? last : (branchById(tree, branch)?.head ?? null);
}

export function branchById({ branches }: Pick<Tree, "branches">, id: number): Branch | undefined {
  const found = branches[countUpTo(branches, id, (branch) => branch.id) - 1];
  return found?.id === id ? found : undefined;
}

/** The branch of this name that was not pruned. */
export function branchByName(tree: Tree, name: string): Branch | undefined {
  return tree.branches.find(({ id, name: own }) => own === name && !tree.pruned.includes(id));
}

export function liveBranches(tree: Tree): Branch[] {
  if (tree.pruned.length === 0) return [...tree.branches];
  const gone = new Set(tree.pruned);
  return tree.branches.filter(({ id }) => !gone.has(id));
}

/** The compactions that were not undone. */
export function liveCompactions(tree: Tree): Compaction[] {
  return tree.compactions.filter(({ undone }) => !undone);
}
