/**
 * Where the branches of a conversation are drawn: one row each, a parent above its children, and the depth as the
 * column. Pure and linear, so that a thousand branches are laid out between two frames.
 */
import type { BranchView } from "../../../../src/gateway/wire/rest.ts";
import { distinctWords } from "./distinct-words.ts";

export interface GraphRow {
  readonly branch: BranchView;
  readonly row: number;
  readonly column: number;
  /** The row of the parent; `null` if there is none, or if it was pruned. */
  readonly parentRow: number | null;
  /** On the way from the first message to the head of the checked-out branch. */
  readonly onPath: boolean;
  /** The first words that differ from its parent and its siblings. */
  readonly label: string;
}

/** The line down from a branch to its last child. `strongTo` is the row of the child on the active path. */
interface GraphTrunk {
  readonly column: number;
  readonly from: number;
  readonly to: number;
  readonly strongTo: number | null;
}

export interface Graph {
  readonly rows: readonly GraphRow[];
  readonly trunks: readonly GraphTrunk[];
  readonly columns: number;
}

export function layoutBranches(branches: readonly BranchView[]): Graph {
  const byName = new Map(branches.map((branch) => [branch.name, branch]));
  const children = Map.groupBy(branches, ({ parent }) => parent);
  const roots = branches.filter(({ parent }) => parent === null || !byName.has(parent));
  const path = activePath(branches, byName);
  const topDepth = branches.reduce((min, { depth }) => Math.min(min, depth), Infinity);
  const labels = distinctWords(branches);
  const rows: GraphRow[] = [];
  const rowOf = new Map<string, number>();
  const place = (from: readonly BranchView[]): void => {
    const waiting = [...from].reverse();
    for (let branch = waiting.pop(); branch !== undefined; branch = waiting.pop()) {
      if (rowOf.has(branch.name)) continue;
      rowOf.set(branch.name, rows.length);
      const { name, parent } = branch;
      const column = branch.depth - topDepth;
      const parentRow = parent === null ? null : (rowOf.get(parent) ?? null);
      const label = labels.get(name) ?? "";
      rows.push({ branch, row: rows.length, column, parentRow, onPath: path.has(name), label });
      for (const child of (children.get(name) ?? []).toReversed()) waiting.push(child);
    }
  };
  place(roots);
  // Parents of damaged conversations can form a circle, which no root reaches.
  place(branches);
  return { rows, trunks: trunksOf(rows), columns: 1 + Math.max(0, ...rows.map(({ column }) => column)) };
}

function trunksOf(rows: readonly GraphRow[]): GraphTrunk[] {
  const trunks = new Map<number, GraphTrunk>();
  for (const { row, parentRow, onPath } of rows) {
    if (parentRow === null) continue;
    const column = (rows[parentRow] as GraphRow).column;
    const strongTo = onPath ? row : (trunks.get(parentRow)?.strongTo ?? null);
    trunks.set(parentRow, { column, from: parentRow, to: row, strongTo });
  }
  return [...trunks.values()];
}

/** The names of the checked-out branch and of those that it comes from. */
function activePath(
  branches: readonly BranchView[],
  byName: ReadonlyMap<string, BranchView>,
): ReadonlySet<string> {
  const path = new Set<string>();
  let at = branches.find(({ active }) => active);
  while (at !== undefined && !path.has(at.name)) {
    path.add(at.name);
    at = at.parent === null ? undefined : byName.get(at.parent);
  }
  return path;
}
