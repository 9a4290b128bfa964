import type { JSX } from "preact";
import { IconButton } from "../../ui/button.tsx";
import { shortCount } from "../../ui/values/count.tsx";
import { plural } from "../../ui/values/plural.ts";
import type { GraphRow } from "./graph.ts";
import { ROW_HEIGHT } from "./graph-lines.tsx";

export interface BranchRowProps {
  readonly row: GraphRow;
  readonly rowCount: number;
  /** Where the words begin, in pixels. */
  readonly indent: number;
  readonly pending: boolean;
  readonly focused: boolean;
  onFocus(): void;
  onCheckout(): void;
  onCompare(): void;
}

export function BranchRow(props: BranchRowProps): JSX.Element {
  const { row, rowCount, indent, pending, focused, onFocus, onCheckout, onCompare } = props;
  const { branch, label, column, onPath } = row;
  const words =
    label === "" ? (branch.parent === null ? "From the first message" : "Nothing new yet") : label;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
    <div
      class={`branch-row${branch.active ? " active" : ""}${onPath ? " on-path" : ""}`}
      role="treeitem"
      data-row={row.row}
      aria-level={column + 1}
      aria-posinset={row.row + 1}
      aria-setsize={rowCount}
      aria-selected={branch.active}
      aria-busy={pending}
      tabIndex={focused ? 0 : -1}
      style={{ top: `${row.row * ROW_HEIGHT}px`, paddingLeft: `${indent}px` }}
      onFocus={onFocus}
      onClick={onCheckout}
    >
      <span class="branch-text" title={`${branch.name}\n${branch.firstWords ?? words}`}>
        <span class="branch-name cut">{branch.name}</span>
        <span class="branch-words cut">{words}</span>
      </span>
      {branch.active ? (
        <span class="branch-mark">checked out</span>
      ) : (
        <span class="branch-compare">
          <IconButton
            small
            icon="compare"
            name={`Compare ${branch.name} with the checked-out branch`}
            onClick={(event) => {
              event.stopPropagation();
              onCompare();
            }}
          />
        </span>
      )}
      <span class="branch-count number" title={plural(branch.entryCount, "entry", "entries")}>
        {shortCount(branch.entryCount)}
      </span>
    </div>
  );
}
