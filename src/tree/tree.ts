/**
 * The tree of a conversation, as a fold over its log.
 *
 * A log is a sequence of *runs*: stretches of entries that belong to one
 * branch. A branch is where it leaves another one and its own runs, so its
 * path is a short list of `seq` ranges, and reading it never follows parents:
 * damaged parents, even a cycle, cannot send a reader round in circles.
 *
 * Everything that changes the tree is an entry of the log. Where an engine
 * keeps *marks* (the entries that begin a run or are no messages), the fold
 * over these alone gives the tree; most conversations have none.
 */
import { isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import { Draft, runsOf } from "./draft.ts";
import { countUpTo } from "./halving.ts";

/** The id of the first branch. Every other branch has the `seq` of the entry that created it. */
export const MAIN = 0;
/** Entries that are about the tree and lie on no branch. */
export const OFF_PATH = -1;
export const MAIN_NAME = "main";

export interface Branch {
  readonly id: number;
  readonly name: string;
  readonly createdAt: string | null;
  /** The branch whose path this one leaves; `null` for the first. */
  readonly origin: number | null;
  /** The last `seq` that it shares with its origin; 0 when it shares nothing. */
  readonly forkSeq: number;
  readonly forkedFrom: string | null;
  /** The last entry of its path, as of when the log last went to another branch. */
  readonly head: string | null;
}

/** A summary that stands for what lies before `firstKeptSeq` on its branch. */
export interface Compaction {
  readonly id: string;
  readonly seq: number;
  readonly branch: number;
  readonly firstKeptSeq: number;
  readonly undone: boolean;
}

/** Where the log goes to another branch: the first `seq` there, and the branch. */
export type Run = readonly [number, number];

export interface Tree {
  /** The branch that is checked out. */
  readonly active: number;
  /** The branch that is called `main`. */
  readonly trunk: number;
  /** The branch of the last entry. */
  readonly current: number;
  /** Also those that were pruned, because others may share their entries. In the order of their ids, which is that of their creation. */
  readonly branches: readonly Branch[];
  readonly pruned: readonly number[];
  readonly runs: readonly Run[];
  /** Entries on a path that are no messages. */
  readonly others: readonly number[];
  readonly compactions: readonly Compaction[];
  /** An entry and what it is called. */
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

/** An entry that the tree must know of. */
export interface Mark {
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly branch: number;
  readonly data: Json | undefined;
}

/** Must the tree be told of an entry? Messages that go on where the last entry was need not be. */
export function isMark(tree: Pick<Tree, "current">, kind: string, branch: number): boolean {
  return branch !== tree.current || kind !== "message";
}

/** The tree once `mark` is the last entry. `before` is the last entry on a path before it. */
export function fold(tree: Tree, mark: Mark, before: string | null): Tree {
  return foldAll(tree, [[mark, before]]);
}

/** The same for many, each with the last entry on a path before it. */
export function foldAll(tree: Tree, marks: Iterable<readonly [Mark, before: string | null]>): Tree {
  let draft: Draft | undefined;
  for (const [mark, before] of marks) {
    if (!isMark(draft ?? tree, mark.kind, mark.branch)) continue;
    draft ??= new Draft(tree);
    take(draft, mark, before);
  }
  return draft?.tree() ?? tree;
}

function take(draft: Draft, mark: Mark, before: string | null): void {
  if (mark.branch !== draft.current) goTo(draft, mark, before);
  if (mark.kind === "message") return;
  applyControl(draft, mark, isPlainObject(mark.data) ? (mark.data as JsonObject) : {});
  if (mark.branch !== OFF_PATH) draft.others = draft.others.plus(mark.seq);
}

function goTo(draft: Draft, { seq, branch }: Mark, before: string | null): void {
  change(draft, draft.current, { head: before });
  // A branch whose creation cannot be read any more still has its entries.
  if (branch !== OFF_PATH && branchById(draft, branch) === undefined) draft.putBranch(recovered(branch));
  draft.current = branch;
  draft.runs = draft.runs.plus([seq, branch]);
}

/** Nothing happens to a branch that is none. */
function change(draft: Draft, id: number, changed: Partial<Branch>): void {
  const branch = branchById(draft, id);
  if (branch !== undefined) draft.putBranch({ ...branch, ...changed });
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

function applyControl(draft: Draft, mark: Mark, data: JsonObject): void {
  if (mark.kind === "label") setLabel(draft, data);
  if (mark.kind === "compaction") addCompaction(draft, mark, data);
  if (mark.kind !== "info") return;
  switch (data.type) {
    case "branch":
      addBranch(draft, mark, data);
      break;
    case "checkout":
      draft.active = idIn(draft, data.branch) ?? draft.active;
      break;
    case "flatten":
      setTrunk(draft, idIn(draft, data.branch) ?? draft.active, data.former);
      break;
    case "prune":
      prune(draft, data);
      break;
    case "undo-compaction":
      undoCompaction(draft, data);
      break;
    default:
      break;
  }
}

function addBranch(draft: Draft, { seq, at }: Mark, data: JsonObject): void {
  const forkSeq = Math.min(seqIn(data.from_seq) ?? 0, seq - 1);
  const owner = ownerIn(draft.runs, draft.trunk, forkSeq);
  const forkedFrom = typeof data.from === "string" ? data.from : null;
  draft.putBranch({
    id: seq,
    name: textIn(data.name) ?? `recovered-${seq}`,
    createdAt: at,
    // A damaged entry may name one that is on no branch.
    origin: owner === OFF_PATH ? draft.trunk : owner,
    forkSeq,
    forkedFrom,
    head: forkedFrom,
  });
  if (data.checkout === true) draft.active = seq;
  if (textIn(data.former) !== undefined) setTrunk(draft, seq, data.former);
}

/** `trunk` is called `main` from now on, and what was called so gets another name. */
function setTrunk(draft: Draft, trunk: number, former: Json | undefined): void {
  draft.active = trunk;
  if (trunk === draft.trunk) return;
  change(draft, trunk, { name: MAIN_NAME });
  change(draft, draft.trunk, { name: textIn(former) ?? `recovered-${draft.trunk}` });
  draft.trunk = trunk;
}

/** Each once, and never what is in use, whatever the entry says. */
function prune(draft: Draft, { branches }: JsonObject): void {
  const named = Array.isArray(branches) ? branches.flatMap((id) => idIn(draft, id) ?? []) : [];
  for (const id of named.sort((a, b) => a - b))
    if (id !== draft.active && id !== draft.trunk) draft.pruned.add(id);
}

function setLabel({ labels }: Draft, data: JsonObject): void {
  const [entry, text] = [textIn(data.entry), textIn(data.label)];
  if (entry === undefined) return;
  // A new label is the last one.
  labels.delete(entry);
  if (text !== undefined) labels.set(entry, text);
}

function addCompaction({ compactions }: Draft, { id, seq, branch }: Mark, data: JsonObject): void {
  const firstKeptSeq = seqIn(data.first_kept_seq) ?? seq;
  compactions.push({ id, seq, branch, firstKeptSeq, undone: false });
}

function undoCompaction({ compactions }: Draft, data: JsonObject): void {
  for (const [index, compaction] of compactions.entries())
    if (compaction.id === data.compaction) compactions[index] = { ...compaction, undone: true };
}

/** Entries come from files that anything may have happened to: what is not as it should be is not there. */
function textIn(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function seqIn(value: Json | undefined): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;
}

/** `id` when it is that of a branch which was not pruned. */
function idIn(draft: Draft, id: Json | undefined): number | undefined {
  if (typeof id !== "number" || branchById(draft, id) === undefined) return undefined;
  return draft.pruned.has(id) ? undefined : id;
}

/** The branch whose own entries `seq` is one of; the trunk for what lies before the first entry. */
export function ownerOf(tree: Tree, seq: number): number {
  return ownerIn(runsOf(tree), tree.trunk, seq);
}

function ownerIn(runs: Pick<readonly Run[], "length" | "at">, trunk: number, seq: number): number {
  if (seq === 0) return trunk;
  const place = countUpTo(runs, seq, ([from]) => from) - 1;
  return runs.at(Math.max(0, place))?.[1] ?? MAIN;
}

/** The last entry of a branch's path. `last` is the last entry that lies on a path. */
export function headOf(tree: Tree, branch: number, last: string | null): string | null {
  return branch === tree.current ? last : (branchById(tree, branch)?.head ?? null);
}

export function branchById({ branches }: Pick<Tree, "branches">, id: number): Branch | undefined {
  const found = branches[countUpTo(branches, id, (branch) => branch.id) - 1];
  return found?.id === id ? found : undefined;
}

/** The branch of this name that was not pruned. */
export function branchByName(tree: Tree, name: string): Branch | undefined {
  return liveBranches(tree).find((branch) => branch.name === name);
}

export function liveBranches(tree: Tree): Branch[] {
  if (tree.pruned.length === 0) return [...tree.branches];
  const gone = new Set(tree.pruned);
  return tree.branches.filter(({ id }) => !gone.has(id));
}
