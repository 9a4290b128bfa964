import { ColloquyError } from "../errors.ts";
import type { JsonObject } from "../util/json.ts";
import { checkControl, isOffPath, noBranch } from "./control.ts";
import { branchById, branchByName, fold, headOf, isMark, OFF_PATH, type Tree } from "./tree.ts";

/** Where a log ends. */
export interface LogEnd {
  readonly lastSeq: number;
  /** The last entry that lies on a path. */
  readonly last: string | null;
  readonly tree: Tree;
}

/** An entry that is to be placed. `data` is there for kinds other than `message`. */
export interface Unplaced {
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly data?: JsonObject | undefined;
  readonly placed?: Placed | undefined;
}

/**
 * Where an entry stood in the log that it is copied from. What the tree allows
 * was decided there: a log that is copied may have been swept, or be damaged.
 */
export interface Placed {
  /** The number of the entry before it, 0 for the first: nothing may have come in between. */
  readonly after: number;
  readonly seq: number;
  readonly parentId: string | null;
  readonly branch: number;
}

export interface Place {
  readonly seq: number;
  readonly parentId: string | null;
  readonly branch: number;
  /** The tree must know of it. */
  readonly mark: boolean;
}

/** The branch of that name or id, or the checked-out one. */
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
 * Decide where the entries of one append go, and where the log ends after them. Entries that follow the creation of a branch go to that branch.
 * Throws, before anything is written, when the tree does not allow one.
 */
export function placeEntries(
  logEnd: LogEnd,
  entries: readonly Unplaced[],
  wanted: string | number | undefined,
  maxDepth: number,
): { readonly places: Place[]; readonly logEnd: LogEnd } {
  let { lastSeq, last, tree } = logEnd;
  let target = targetBranch(tree, wanted);
  const places = entries.map(({ id, kind, at, data, placed }): Place => {
    if (placed !== undefined) {
      checkPlaced(placed, lastSeq);
      const { seq, parentId, branch } = placed;
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

function checkPlaced({ after, seq }: Placed, lastSeq: number): void {
  if (after === lastSeq && seq > after) return;
  const message = `Entry ${seq} belongs behind entry ${after}, and the last one is ${lastSeq}`;
  throw new ColloquyError("CONFLICT", message, { field: "seq", details: { lastSeq } });
}

/** Only a branch says where it hangs. */
function offPathParent(data: JsonObject | undefined): string | null {
  return data?.type === "branch" && typeof data.from === "string" ? data.from : null;
}

/** The last entry of the checked-out branch. */
export function activeHead({ tree, last }: LogEnd): string | null {
  return headOf(tree, tree.active, last);
}
