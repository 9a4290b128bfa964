import type { BranchInfo } from "../../store/index.ts";

/** The lines of a tree, by the number of columns per level. With none, levels are not drawn. */
interface Strokes {
  readonly child: string;
  readonly lastChild: string;
  readonly past: string;
  readonly pastLast: string;
}

const STROKES: readonly Strokes[] = [
  { child: "", lastChild: "", past: "", pastLast: "" },
  { child: "├", lastChild: "└", past: "│", pastLast: " " },
  { child: "├ ", lastChild: "└ ", past: "│ ", pastLast: "  " },
  { child: "├─ ", lastChild: "└─ ", past: "│  ", pastLast: "   " },
];

export const STEP_MAX: number = STROKES.length - 1;

export interface TreeRow {
  readonly branch: BranchInfo;
  /** The lines before its name. */
  readonly lines: string;
}

/** Every branch below its parent, otherwise in the given order. */
export function treeRows(branches: readonly BranchInfo[], step: number): TreeRow[] {
  const strokes = STROKES[step] as Strokes;
  const known = new Set(branches.map(({ name }) => name));
  const children = Map.groupBy(branches, ({ name, parent }) =>
    parent === null || parent === name || !known.has(parent) ? null : parent,
  );
  const rows: TreeRow[] = [];
  const seen = new Set<BranchInfo>();
  // Not recursive: imported branches may be nested deeper than the call stack.
  const waiting = [...(children.get(null) ?? [])]
    .map((branch) => ({ branch, lines: "", below: "" }))
    .reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { branch, lines, below } = next;
    if (seen.has(branch)) continue;
    seen.add(branch);
    rows.push({ branch, lines });
    const own = children.get(branch.name) ?? [];
    for (const [index, child] of [...own.entries()].reverse()) {
      const isLast = index === own.length - 1;
      waiting.push({
        branch: child,
        lines: below + (isLast ? strokes.lastChild : strokes.child),
        below: below + (isLast ? strokes.pastLast : strokes.past),
      });
    }
  }
  // Branches whose parents form a cycle have no root.
  const left = branches.filter((branch) => !seen.has(branch));
  return [...rows, ...left.map((branch) => ({ branch, lines: "" }))];
}
