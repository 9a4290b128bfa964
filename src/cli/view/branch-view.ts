/** Branches as tables and as JSON. */
import type { BranchInfo } from "../../store/index.ts";
import { widthOf } from "../../util/text-width.ts";
import { safeLine } from "../../util/visible-text.ts";
import type { Output } from "../output.ts";
import { numberText } from "../terminal/count-text.ts";
import { table } from "../terminal/table.ts";
import { wrapHard } from "../terminal/wrap.ts";
import { STEP_MAX, treeRows } from "./branch-tree.ts";

/** The seven properties that `--json` promises. */
export function branchJson(branch: BranchInfo): Record<string, unknown> {
  const { name, head, forkedFrom, parent, depth, entryCount, active } = branch;
  return { name, head, forkedFrom, parent, depth, entryCount, active };
}

/** At least this much of a name is visible. */
const NAME_COLUMNS_MIN = 12;
/** The width of the other columns. */
const BESIDE_COLUMNS = 33;
const DEPTH_COLUMNS = 9;
/** A wider tree is hard to read. */
const TREE_COLUMNS_MAX = 160;
const WARNINGS_SHOWN = 3;

/** A tree that fits the terminal. `lastAt` returns when a branch was last written. */
export function branchTable(
  out: Output,
  branches: readonly BranchInfo[],
  lastAt: (branch: BranchInfo) => string,
): string[] {
  const rows = treeRows(branches, stepFor(out, branches));
  const nameMin = rows.reduce(
    (width, { branch, lines }) => Math.max(width, 2 + lines.length + shownWidth(branch)),
    0,
  );
  return table(
    out,
    [
      {
        title: "  BRANCH",
        rank: 0,
        min: Math.min(nameMin, out.columns),
        style: (row) => (rows[row]?.branch.active ? "green" : undefined),
      },
      {
        title: "DEPTH",
        rank: 1,
        align: "right",
        style: (row) => (rows[row]?.branch.warning ? "yellow" : undefined),
      },
      { title: "ENTRIES", rank: 2, align: "right" },
      { title: "LAST", rank: 3 },
    ],
    rows.map(({ branch, lines }) => [
      `${branch.active ? "*" : " "} ${lines}${safeLine(branch.name)}`,
      `${branch.warning === null ? "" : "! "}${numberText(branch.depth)}`,
      numberText(branch.entryCount),
      lastAt(branch),
    ]),
  );
}

/** The widest step per level with which the deepest name is still visible. */
function stepFor({ columns }: Output, branches: readonly BranchInfo[]): number {
  const room = Math.min(columns, TREE_COLUMNS_MAX);
  for (let step = STEP_MAX; step > 0; step--) {
    const widest = branches.reduce(
      (width, branch) => Math.max(width, 2 + (branch.depth - 1) * step + shownWidth(branch)),
      0,
    );
    if (widest + (step === 1 ? DEPTH_COLUMNS : BESIDE_COLUMNS) <= room) return step;
  }
  return 0;
}

function shownWidth({ name }: BranchInfo): number {
  return Math.min(NAME_COLUMNS_MIN, widthOf(safeLine(name)));
}

export function warningLines(out: Output, warnings: readonly string[]): string[] {
  const others = warnings.length - WARNINGS_SHOWN;
  const shown = warnings.slice(0, WARNINGS_SHOWN).map((warning) => `Warning: ${safeLine(warning)}`);
  const lines = others > 0 ? [...shown, `Warning: ${others} more branches are as deep`] : shown;
  return lines.flatMap((line) => wrapHard(line, out.columns)).map((line) => out.style("yellow", line));
}
