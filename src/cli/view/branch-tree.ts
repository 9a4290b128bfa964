import type { BranchInfo } from "../../store/index.ts";

/** How the lines of a tree look, by the columns that a level takes. In none a level is not drawn. */
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
  /** The lines in front of its name. */
  readonly lines: string;
}

/** Every branch below its parent, in the order that they were given. */
export function treeRows(branches: readonly BranchInfo[], step: number): TreeRow[] {
  const strokes = STROKES[step] as Strokes;
  const known = new Set(branches.map(({ name }) => name));
  const children = Map.groupBy(branches, ({ name, parent }) =>
    parent === null || parent === name || !known.has(parent) ? null : parent,
  );
  const rows: TreeRow[] = [];
  const seen = new Set<BranchInfo>();
  // By hand, because an import may be deeper than calls may be.
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
  // Parents that form a cycle have no first one.
  const left = branches.filter((branch) => !seen.has(branch));
  return [...rows, ...left.map((branch) => ({ branch, lines: "" }))];
}
