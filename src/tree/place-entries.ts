import { ColloquyError } from "../errors.ts";
import type { JsonObject } from "../util/json.ts";
import { checkControl, isOffPath, noBranch } from "./control.ts";
import { branchById, branchByName, fold, headOf, isMark, OFF_PATH, type Tree } from "./tree.ts";

/** The end of a log: enough to decide where the next entry goes. */
export interface LogEnd {
  readonly lastSeq: number;
  /** The last entry that is on a path. */
  readonly last: string | null;
  readonly tree: Tree;
}

/** The end of a log, to compare it with an earlier state. */
export type LogTip = Omit<LogEnd, "tree">;

export function tipOf(end: LogEnd | undefined): LogTip | undefined {
  return end && { lastSeq: end.lastSeq, last: end.last };
}

/** An entry without a place. `data` is present for kinds other than `message`. */
export interface UnplacedEntry {
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly data?: JsonObject | undefined;
  readonly sourcePlace?: SourcePlace | undefined;
}

/**
 * The place of an entry in the log it is copied from. It is not checked against
 * the tree again: the source may have been swept, or be damaged.
 */
export interface SourcePlace {
  /** The `seq` of the entry before it, 0 for the first: nothing may have been written in between. */
  readonly after: number;
  readonly seq: number;
  readonly parentId: string | null;
  readonly branch: number;
}

/** The place that an entry takes in the tree. */
export interface TreePlace {
  readonly seq: number;
  readonly parentId: string | null;
  readonly branch: number;
  /** The entry changes the tree (`isMark`). */
  readonly mark: boolean;
}

/** The id of the branch with this name or id; the checked-out branch if none is given. */
export function targetBranch(tree: Tree, branch: string | number | undefined): number {
  if (branch === undefined) return tree.active;
  if (typeof branch === "number") {
    if (tree.pruned.includes(branch) || branchById(tree, branch) === undefined)
      throw noBranch(String(branch));
    return branch;
  }
  const found = branchByName(tree, branch);
  if (found === undefined) throw noBranch(branch);
  return found.id;
}

/**
 * Decide where the entries of one append go, and where the log ends after them.
 * Entries that follow the creation of a branch go to that branch. Throws,
 * before anything is written, if the tree does not allow an entry.
 */
export function placeEntries(
  logEnd: LogEnd,
  entries: readonly UnplacedEntry[],
  wanted: string | number | undefined,
  maxDepth: number,
): { readonly places: TreePlace[]; readonly logEnd: LogEnd } {
  let { lastSeq, last, tree } = logEnd;
  let target = targetBranch(tree, wanted);
  const places = entries.map(({ id, kind, at, data, sourcePlace }): TreePlace => {
    if (sourcePlace !== undefined) {
      checkSourcePlace(sourcePlace, lastSeq);
      const { seq, parentId, branch } = sourcePlace;
      const mark = isMark(tree, kind, branch);
      if (mark) tree = fold(tree, { seq, id, kind, at, branch, data }, last);
      if (branch !== OFF_PATH) last = id;
      lastSeq = seq;
      return { seq, parentId, branch, mark };
    }
    if (data !== undefined) checkControl(tree, lastSeq, kind, data, maxDepth);
    const seq = lastSeq + 1;
    const branch = isOffPath(kind, data) ? OFF_PATH : target;
    const mark = isMark(tree, kind, branch);
    const parentId = branch === OFF_PATH ? offPathParent(data) : headOf(tree, branch, last);
    if (mark) tree = fold(tree, { seq, id, kind, at, branch, data }, last);
    if (branch === OFF_PATH) target = data?.type === "branch" ? seq : target;
    else last = id;
    lastSeq = seq;
    return { seq, parentId, branch, mark };
  });
  return { places, logEnd: { lastSeq, last, tree } };
}

function checkSourcePlace({ after, seq }: SourcePlace, lastSeq: number): void {
  if (after !== lastSeq || seq <= after) throw otherEnd(after, lastSeq);
}

/** Throws if the log does not end as the writer of an append expects. */
export function checkTip({ lastSeq, last }: LogTip, end: LogEnd): void {
  if (lastSeq !== end.lastSeq || last !== end.last) throw otherEnd(lastSeq, end.lastSeq);
}

function otherEnd(after: number, lastSeq: number): ColloquyError {
  const message = `Another entry was written after entry ${after}; the last one is ${lastSeq}`;
  return new ColloquyError("CONFLICT", message, { field: "seq", details: { lastSeq } });
}

/** Of the entries off every path, only one that creates a branch has a parent. */
function offPathParent(data: JsonObject | undefined): string | null {
  return data?.type === "branch" && typeof data.from === "string" ? data.from : null;
}

/** The last entry of the checked-out branch. */
export function activeHead({ tree, last }: LogEnd): string | null {
  return headOf(tree, tree.active, last);
}
