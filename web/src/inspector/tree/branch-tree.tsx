/** The branches of a conversation as a drawn graph with a row of text for each: only the rows in view are there. */
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { BranchView } from "../../../../src/gateway/wire/rest.ts";
import { focusRow } from "../../ui/list/focus-row.ts";
import { useVisibleRows } from "../../ui/list/use-visible-rows.ts";
import { BranchRow } from "./branch-row.tsx";
import { type GraphRow, layoutBranches } from "./graph.ts";
import { GraphLines, ROW_HEIGHT, wordsAt } from "./graph-lines.tsx";

export interface BranchTreeProps {
  readonly branches: readonly BranchView[];
  /** The branch that is being checked out. */
  readonly pending: string | null;
  /** Left out for those who may only read. */
  readonly onCheckout?: (name: string) => void;
  onCompare(name: string): void;
}

export function BranchTree({ branches, pending, onCheckout, onCompare }: BranchTreeProps): JSX.Element {
  const graph = useMemo(() => layoutBranches(branches), [branches]);
  const { rows, columns } = graph;
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const [first, end] = useVisibleRows(list, rows.length, ROW_HEIGHT);
  const active = rows.findIndex(({ branch }) => branch.active);
  const focused = Math.min(chosen ?? Math.max(0, active), rows.length - 1);

  const move = (to: number): void => {
    const row = Math.min(rows.length - 1, Math.max(0, to));
    setChosen(row);
    const element = list.current as HTMLDivElement;
    const top = row * ROW_HEIGHT;
    const bottom = top + ROW_HEIGHT - element.clientHeight;
    element.scrollTop = Math.min(top, Math.max(bottom, element.scrollTop));
    focusRow(element, `[data-row="${row}"]`);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { branch, parentRow } = rows[focused] as GraphRow;
    const steps: Readonly<Record<string, () => void>> = {
      ArrowDown: () => move(focused + 1),
      ArrowUp: () => move(focused - 1),
      ArrowLeft: () => move(parentRow ?? focused),
      ArrowRight: () => move(rows.find((row) => row.parentRow === focused)?.row ?? focused),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      Enter: () => onCheckout?.(branch.name),
      " ": () => onCheckout?.(branch.name),
      c: () => onCompare(branch.name),
    };
    const step = event.ctrlKey || event.metaKey || event.altKey ? undefined : steps[event.key];
    if (step === undefined || event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    event.stopPropagation();
    step();
  };

  return (
    <div class="branch-tree" ref={list} role="tree" aria-label="Branches" onKeyDown={onKeyDown}>
      <div class="branch-tree-rows" role="none" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        <GraphLines graph={graph} first={first} end={end} />
        {rows.slice(first, end).map((row) => (
          <BranchRow
            key={row.branch.name}
            row={row}
            rowCount={rows.length}
            indent={wordsAt(row.column, columns)}
            pending={pending === row.branch.name}
            focused={row.row === focused}
            onFocus={() => setChosen(row.row)}
            onCheckout={() => onCheckout?.(row.branch.name)}
            onCompare={() => onCompare(row.branch.name)}
          />
        ))}
      </div>
    </div>
  );
}
