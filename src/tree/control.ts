/** The rules for changing a tree, checked inside the transaction against the current tree. */
import { ColloquyError, invalid } from "../errors.ts";
import type { JsonObject } from "../util/json.ts";
import { Shape } from "./branches.ts";
import { holds, ownRanges, unreachable } from "./path.ts";
import { branchByName, liveBranches, OFF_PATH, ownerOf, type Tree } from "./tree.ts";

/** Whether an entry describes the tree and belongs to no branch. */
export function isOffPath(kind: string, data: JsonObject | undefined): boolean {
  return kind === "label" || (kind === "info" && typeof data?.type === "string" && CONTROLS.has(data.type));
}

const CONTROLS: ReadonlySet<string> = new Set([
  "branch",
  "checkout",
  "flatten",
  "prune",
  "undo-compaction",
  "turn",
  // Where the bytes of an imported source are.
  "original",
]);

/** Throws if the tree, whose last entry is `lastSeq`, does not allow the entry. */
export function checkControl(
  tree: Tree,
  lastSeq: number,
  kind: string,
  data: JsonObject,
  maxDepth: number,
): void {
  if (kind === "info" && data.type === "branch") checkNewBranch(tree, lastSeq, data, maxDepth);
  if (kind === "info" && (data.type === "checkout" || data.type === "flatten")) {
    if (!liveBranches(tree).some(({ id }) => id === data.branch)) throw noBranch(String(data.name));
    if (typeof data.former === "string") checkFree(tree, data.former);
  }
  if (kind === "info" && data.type === "prune") checkPrune(tree, lastSeq, data);
  if (kind === "info" && data.type === "undo-compaction") {
    const found = tree.compactions.find(({ id }) => id === data.compaction);
    if (found === undefined)
      throw new ColloquyError("NOT_FOUND", `There is no compaction ${data.compaction}`);
    if (found.undone) throw new ColloquyError("CONFLICT", `Compaction ${data.compaction} is already undone`);
  }
}

function checkNewBranch(tree: Tree, lastSeq: number, data: JsonObject, maxDepth: number): void {
  const forkSeq = data.from_seq as number;
  const name = String(data.name);
  if (typeof data.former === "string") {
    checkFree(tree, data.former);
    return;
  }
  checkFree(tree, name);
  const owner = ownerOf(tree, forkSeq);
  if (forkSeq > lastSeq || owner === OFF_PATH || holds(unreachable(tree, lastSeq), forkSeq)) {
    throw new ColloquyError("NOT_FOUND", `There is no entry ${data.from} to branch from`, { field: "from" });
  }
  const depth = new Shape(tree).depthBelow(owner, forkSeq);
  if (depth > maxDepth) {
    throw invalid(
      `The new branch would have depth ${depth}, above the limit of ${maxDepth}: flatten the conversation first`,
      "depth",
    );
  }
}

function checkFree(tree: Tree, name: string): void {
  if (branchByName(tree, name) !== undefined) {
    throw new ColloquyError("CONFLICT", `A branch called ${name} already exists`, { field: "name" });
  }
}

function checkPrune(tree: Tree, lastSeq: number, data: JsonObject): void {
  const seen = typeof data.seen === "number" ? data.seen : lastSeq;
  for (const id of data.branches as number[]) {
    if (id === tree.active) throw invalid("The checked-out branch cannot be pruned", "branch");
    if (id === tree.trunk) throw invalid("The branch main cannot be pruned", "branch");
    // The caller decided without having seen entries that were written since.
    if ((ownRanges(tree, id, lastSeq).at(-1)?.[1] ?? 0) > seen) {
      throw new ColloquyError("CONFLICT", "A branch to be pruned has new entries", {
        field: "branches",
      });
    }
  }
}

export function noBranch(name: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no branch called ${name}`, { field: "branch" });
}
