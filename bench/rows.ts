import { type BenchRow, microseconds, report } from "./harness.ts";

export const ENGINES = ["sqlite", "jsonl"] as const;

/** Ours may take at most `reach` times what the other takes. */
export function atMost(
  work: string,
  ours: number,
  other: number,
  reach: number,
  what = `≤ ${reach} ×`,
): BenchRow {
  const ratio = ours / other;
  return report({
    work,
    ours: microseconds(ours),
    bare: microseconds(other),
    value: `${ratio.toFixed(2)} ×`,
    reach: what,
    ok: ratio <= reach,
  });
}

/** Ours must do at least `reach` times what the other does in the same time. */
export function atLeast(work: string, ours: number, other: number, reach: number): BenchRow {
  const ratio = other / ours;
  return report({
    work,
    ours: microseconds(ours),
    bare: microseconds(other),
    value: `${ratio.toFixed(2)} ×`,
    reach: `≥ ${reach} ×`,
    ok: ratio >= reach,
  });
}

/** A figure with a limit. */
export function below(work: string, value: number, reach: number, unit: string, digits = 1): BenchRow {
  const text = `${value.toFixed(digits)} ${unit}`;
  return report({
    work,
    ours: text,
    bare: "–",
    value: text,
    reach: `≤ ${reach} ${unit}`,
    ok: value <= reach,
  });
}
