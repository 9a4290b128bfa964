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

export interface Tree {
  /** The branch that is checked out. */
  readonly active: number;
  /** The branch that is called `main`. */
  readonly trunk: number;
  /** The branch of the last entry. */
  readonly current: number;
  /** Also those that were pruned, because others may share their entries. In the order of their creation. */
  readonly branches: readonly Branch[];
  readonly pruned: readonly number[];
  /** Where the log goes to another branch: the first `seq` there, and the branch. */
  readonly runs: readonly (readonly [number, number])[];
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
export function isMark(tree: Tree, kind: string, branch: number): boolean {
  return branch !== tree.current || kind !== "message";
}

/** The tree once `mark` is the last entry. `before` is the last entry on a path before it. */
export function fold(tree: Tree, mark: Mark, before: string | null): Tree {
  const moved = mark.branch === tree.current ? tree : goTo(tree, mark, before);
  if (mark.kind === "message") return moved;
  const data = isPlainObject(mark.data) ? (mark.data as JsonObject) : {};
  const applied = applyControl(moved, mark, data);
  return mark.branch === OFF_PATH ? applied : { ...applied, others: [...applied.others, mark.seq] };
}

function goTo(tree: Tree, mark: Mark, before: string | null): Tree {
  const branches = withHead(tree, before);
  // A branch whose creation cannot be read any more still has its entries.
  const known = mark.branch === OFF_PATH || branches.some(({ id }) => id === mark.branch);
  return {
    ...tree,
    current: mark.branch,
    branches: known ? branches : [...branches, recovered(mark.branch)],
    runs: [...tree.runs, [mark.seq, mark.branch]],
  };
}

function withHead({ branches, current }: Tree, head: string | null): readonly Branch[] {
  if (current === OFF_PATH) return branches;
  return branches.map((branch) => (branch.id === current ? { ...branch, head } : branch));
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

function applyControl(tree: Tree, mark: Mark, data: JsonObject): Tree {
  if (mark.kind === "label") return withLabel(tree, data);
  if (mark.kind === "compaction") return withCompaction(tree, mark, data);
  if (mark.kind !== "info") return tree;
  switch (data.type) {
    case "branch":
      return withBranch(tree, mark, data);
    case "checkout":
      return { ...tree, active: idIn(tree, data.branch) ?? tree.active };
    case "flatten":
      return withTrunk(tree, idIn(tree, data.branch) ?? tree.active, data.former);
    case "prune":
      return withPruned(tree, data);
    case "undo-compaction":
      return {
        ...tree,
        compactions: tree.compactions.map((compaction) =>
          compaction.id === data.compaction ? { ...compaction, undone: true } : compaction,
        ),
      };
    default:
      return tree;
  }
}

function withBranch(tree: Tree, { seq, at }: Mark, data: JsonObject): Tree {
  const forkSeq = Math.min(seqIn(data.from_seq) ?? 0, seq - 1);
  const owner = ownerOf(tree, forkSeq);
  const forkedFrom = typeof data.from === "string" ? data.from : null;
  const branch: Branch = {
    id: seq,
    name: textIn(data.name) ?? `recovered-${seq}`,
    createdAt: at,
    // A damaged entry may name one that is on no branch.
    origin: owner === OFF_PATH ? tree.trunk : owner,
    forkSeq,
    forkedFrom,
    head: forkedFrom,
  };
  const grown: Tree = {
    ...tree,
    branches: [...tree.branches.filter(({ id }) => id !== seq), branch],
    active: data.checkout === true ? seq : tree.active,
  };
  return textIn(data.former) === undefined ? grown : withTrunk(grown, seq, data.former);
}

/** `trunk` is called `main` from now on, and what was called so gets another name. */
function withTrunk(tree: Tree, trunk: number, former: Json | undefined): Tree {
  if (trunk === tree.trunk) return { ...tree, active: trunk };
  const formerName = textIn(former) ?? `recovered-${tree.trunk}`;
  const branches = tree.branches.map((branch) => {
    if (branch.id === trunk) return { ...branch, name: MAIN_NAME };
    return branch.id === tree.trunk ? { ...branch, name: formerName } : branch;
  });
  return { ...tree, branches, trunk, active: trunk };
}

/** Each once, and never what is in use, whatever the entry says. */
function withPruned(tree: Tree, { branches }: JsonObject): Tree {
  const named = Array.isArray(branches) ? new Set(branches) : new Set();
  const gone = liveBranches(tree).filter(
    ({ id }) => named.has(id) && id !== tree.active && id !== tree.trunk,
  );
  return { ...tree, pruned: [...tree.pruned, ...gone.map(({ id }) => id)] };
}

function withLabel(tree: Tree, data: JsonObject): Tree {
  const others = tree.labels.filter(([entry]) => entry !== data.entry);
  const [entry, text] = [textIn(data.entry), textIn(data.label)];
  const label = entry === undefined || text === undefined ? [] : [[entry, text] as const];
  return { ...tree, labels: [...others, ...label] };
}

function withCompaction(tree: Tree, { id, seq, branch }: Mark, data: JsonObject): Tree {
  const firstKeptSeq = seqIn(data.first_kept_seq) ?? seq;
  const compaction: Compaction = { id, seq, branch, firstKeptSeq, undone: false };
  return { ...tree, compactions: [...tree.compactions, compaction] };
}

/** Entries come from files that anything may have happened to: what is not as it should be is not there. */
function textIn(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function seqIn(value: Json | undefined): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;
}

function idIn(tree: Tree, id: Json | undefined): number | undefined {
  return liveBranches(tree).find((branch) => branch.id === id)?.id;
}

/** The branch whose own entries `seq` is one of; the trunk for what lies before the first entry. */
export function ownerOf(tree: Tree, seq: number): number {
  if (seq === 0) return tree.trunk;
  const { runs } = tree;
  let low = 0;
  for (let high = runs.length; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if ((runs[middle] as readonly [number, number])[0] <= seq) low = middle;
    else high = middle;
  }
  return runs[low]?.[1] ?? MAIN;
}

/** The last entry of a branch's path. `last` is the last entry that lies on a path. */
export function headOf(tree: Tree, branch: number, last: string | null): string | null {
  return branch === tree.current ? last : (branchById(tree, branch)?.head ?? null);
}

export function branchById(tree: Tree, id: number): Branch | undefined {
  return tree.branches.find((branch) => branch.id === id);
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
