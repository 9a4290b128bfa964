/** Names cut in the middle, because both ends tell them apart. */
import { charactersOf, endOf, startOf, widthOf } from "../../util/text-width.ts";

export const CUT = "…";

type Cut = (name: string) => string;

/**
 * Each name, or as much of it as fits. Names that differ still differ when they
 * are cut: where their ends are equal, the part that differs is shown.
 */
export function cutNames(names: readonly string[], columns: number): string[] {
  const halves = middle(columns, 0);
  const groups = Map.groupBy(new Set(names), (name) => shortened(name, columns, halves));
  const cuts = new Map<string, string>();
  for (const [cut, [name = "", ...others]] of groups) if (others.length === 0) cuts.set(name, cut);
  const used = new Set(cuts.values());
  for (const alike of groups.values()) {
    if (alike.length === 1) continue;
    for (const [index, cut] of distinct(alike, columns, used).entries()) {
      cuts.set(alike[index] ?? "", cut);
      used.add(cut);
    }
  }
  return names.map((name) => cuts.get(name) ?? name);
}

function distinct(alike: readonly string[], columns: number, used: ReadonlySet<string>): string[] {
  for (const cut of waysToCut(alike, columns)) {
    const cuts = alike.map((name) => shortened(name, columns, cut));
    if (new Set(cuts).size === alike.length && cuts.every((text) => !used.has(text))) return cuts;
  }
  return numbered(alike, columns, used);
}

/** Ever more of one end, then a window that moves to the end. */
function* waysToCut(alike: readonly string[], columns: number): Generator<Cut> {
  const half = Math.ceil(columns / 2);
  for (let shift = 1; shift <= half; shift++) yield* [middle(columns, shift), middle(columns, -shift)];
  const longest = Math.max(...alike.map((name) => name.length));
  for (let from = 1; from < longest - columns + 2; from++) yield window(columns, from);
}

/** Names that no single cut tells apart, such as two long rows of one letter. */
function numbered(alike: readonly string[], columns: number, used: ReadonlySet<string>): string[] {
  let number = 0;
  return alike.map((name) => {
    for (;;) {
      const end = `${CUT}${++number}`;
      const cut = startOf(name, Math.max(0, columns - end.length)) + end;
      if (!used.has(cut)) return cut;
    }
  });
}

function shortened(name: string, columns: number, cut: Cut): string {
  return widthOf(name) <= columns ? name : cut(name);
}

/** Half of each end, or `shift` columns more of the start. */
function middle(columns: number, shift: number): Cut {
  const room = Math.max(0, columns - 1);
  const start = Math.min(room, Math.max(0, Math.ceil(room / 2) + shift));
  return (name) => startOf(name, start) + CUT + endOf(name, room - start);
}

function window(columns: number, from: number): Cut {
  const room = Math.max(0, columns - 2);
  return (name) => CUT + startOf(charactersOf(name).slice(from).join(""), room) + CUT;
}
