/** Tables that several pages have. */
import type { ComponentChildren, JSX } from "preact";

export interface RecordTableProps {
  /** The names of the columns, without that of the buttons. */
  readonly heads: readonly string[];
  /** Rows of cells with `data-label`, which on a phone are below each other. */
  readonly children: ComponentChildren;
}

/** Things that can be ended or restored: their facts, and buttons at the end. */
export function RecordTable({ heads, children }: RecordTableProps): JSX.Element {
  return (
    <table class="table stacked">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
          <th scope="col">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

export interface RemovalTableProps {
  /** A name, then figures. */
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The sums, if there is more than one row. */
  readonly sums?: readonly string[];
}

/** What would be removed, before it is. */
export function RemovalTable({ heads, rows, sums }: RemovalTableProps): JSX.Element {
  const cells = (row: readonly string[]): JSX.Element[] =>
    row.map((text, column) => (
      <td key={column} class={column === 0 ? "" : "number"}>
        {text}
      </td>
    ));
  return (
    <div class="preview-scroll">
      <table class="table preview">
        <thead>
          <tr>
            {heads.map((head, column) => (
              <th key={head} scope="col" class={column === 0 ? "" : "number"}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>{cells(row)}</tr>
          ))}
        </tbody>
        {sums && rows.length > 1 && (
          <tfoot>
            <tr>{cells(sums)}</tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}
