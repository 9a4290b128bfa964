/** The geometry of a chart of bars by day. Pure: the component draws it as SVG, and a table carries the same numbers. */

interface Bar {
  readonly day: string;
  readonly value: number;
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
}

export interface Chart {
  readonly bars: readonly Bar[];
  readonly ticks: readonly { readonly value: number; readonly y: number }[];
  /** Every so many days has a name below it. */
  readonly labelEvery: number;
}

export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

const DAY_MS = 86_400_000;
/** The room that the name of a day needs. */
const LABEL_WIDTH = 64;
const TICKS = 3;

export function chartOf(days: readonly { day: string; value: number }[], size: ChartSize): Chart {
  const top = niceMax(days.reduce((max, { value }) => Math.max(max, value), 0));
  const step = size.width / Math.max(1, days.length);
  const gap = step > 4 ? Math.min(6, step * 0.25) : 0;
  const yOf = (value: number): number => size.height - (value / top) * size.height;
  const bars = days.map(({ day, value }, index) => {
    // A value that is not zero is at least a line.
    const height = value === 0 ? 0 : Math.max(1, size.height - yOf(value));
    return { day, value, x: index * step + gap / 2, width: step - gap, y: size.height - height, height };
  });
  const ticks = Array.from({ length: TICKS }, (_, index) => {
    const value = (top / (TICKS - 1)) * index;
    return { value, y: yOf(value) };
  });
  return { bars, ticks, labelEvery: Math.max(1, Math.ceil(LABEL_WIDTH / step)) };
}

/** A round number that is not below the value, whose half is round, too. */
export function niceMax(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 4, 6, 8, 10].find((candidate) => candidate * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Days between two dates (`2026-11-16`), both included; days without a row have the value 0. */
export function everyDay<Row extends { readonly day: string }>(
  rows: readonly Row[],
  from: string,
  to: string,
  measure: (row: Row) => number,
): { day: string; value: number }[] {
  const values = new Map(rows.map((row) => [row.day, measure(row)]));
  const days = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    days.push({ day, value: values.get(day) ?? 0 });
  }
  return days;
}
