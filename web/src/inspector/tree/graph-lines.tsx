/** The lines and points of the graph. Screen readers get the same from the levels of the rows. */
import type { JSX } from "preact";
import type { Graph, GraphRow } from "./graph.ts";

export const ROW_HEIGHT = 44;
const COLUMN_WIDTH = 16;
/** Deeper trees get narrower columns, so that the words keep their room. */
const WIDTH_MAX = 144;
const MARGIN = 16;
const RADIUS = 6;

/** Where the words of a branch begin: no line runs to the right of its point. */
export function wordsAt(column: number, columns: number): number {
  return MARGIN + column * stepOf(columns) + MARGIN + 4;
}

function stepOf(columns: number): number {
  return columns === 1 ? 0 : Math.min(COLUMN_WIDTH, WIDTH_MAX / (columns - 1));
}

export interface GraphLinesProps {
  readonly graph: Graph;
  /** The first row in view, and the one after the last. */
  readonly first: number;
  readonly end: number;
}

export function GraphLines({ graph, first, end }: GraphLinesProps): JSX.Element {
  const { rows, trunks, columns } = graph;
  const step = stepOf(columns);
  const x = (column: number): number => MARGIN + column * step;
  const y = (row: number): number => (row + 0.5) * ROW_HEIGHT;
  const bend = Math.min(RADIUS, step);
  const inView = trunks.filter(({ from, to }) => from < end && to >= first);
  const elbows = rows.slice(first, end).filter(({ parentRow }) => parentRow !== null);
  const elbow = ({ row, column, parentRow }: GraphRow): string => {
    const from = x((rows[parentRow as number] as GraphRow).column);
    return `M${from} ${y(row) - bend}q0 ${bend} ${bend} ${bend}H${x(column)}`;
  };
  const trunk = (column: number, from: number, to: number): string =>
    `M${x(column)} ${y(from)}V${y(to) - bend}`;
  const strongElbows = elbows.filter(({ onPath }) => onPath);
  return (
    <svg
      class="graph-lines"
      width={wordsAt(columns - 1, columns)}
      height={rows.length * ROW_HEIGHT}
      aria-hidden="true"
    >
      {inView.map(({ column, from, to }) => (
        <path key={`t${from}`} d={trunk(column, from, to)} />
      ))}
      {elbows.map((row) => (
        <path key={`e${row.row}`} d={elbow(row)} />
      ))}
      {inView.map(({ column, from, strongTo }) =>
        strongTo === null ? null : <path key={`s${from}`} class="strong" d={trunk(column, from, strongTo)} />,
      )}
      {strongElbows.map((row) => (
        <path key={`p${row.row}`} class="strong" d={elbow(row)} />
      ))}
      {rows.slice(first, end).map(({ row, column, onPath, branch }) => (
        <circle
          key={`c${row}`}
          class={branch.active ? "active" : onPath ? "strong" : ""}
          cx={x(column)}
          cy={y(row)}
          r={branch.active ? 5.5 : 4}
        />
      ))}
    </svg>
  );
}
