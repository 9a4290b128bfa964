import { type BenchRow, microseconds, report } from "../harness.ts";

export const ENGINES = ["sqlite", "jsonl"] as const;

/** Ours may take at most `reach` times what the other takes. */
export function atMost(work: string, ours: number, other: number, reach: number): BenchRow {
  const ratio = ours / other;
  return report({
    work,
    ours: microseconds(ours),
    bare: microseconds(other),
    value: `${ratio.toFixed(2)} ×`,
    reach: `≤ ${reach} ×`,
    ok: ratio <= reach,
  });
}

/** A figure with a limit of its own. */
export function below(work: string, value: number, reach: number, unit: string, digits = 1): BenchRow {
  return report({
    work,
    ours: `${value.toFixed(digits)} ${unit}`,
    bare: "–",
    value: `${value.toFixed(digits)} ${unit}`,
    reach: `≤ ${reach} ${unit}`,
    ok: value <= reach,
  });
}
