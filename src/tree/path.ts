import { countUpTo } from "./binary-search.ts";
import {
  type Branch,
  branchById,
  type Compaction,
  liveBranches,
  liveCompactions,
  MAIN,
  OFF_PATH,
  type Run,
  type Tree,
} from "./tree.ts";
import { runsOf } from "./tree-builder.ts";

/** From and to, both inclusive. */
export type SeqRange = readonly [number, number];

/** The entries of a branch's path, as ascending ranges of `seq`. */
export function pathOf(tree: Tree, branch: number, lastSeq: number): SeqRange[] {
  const segments: SeqRange[][] = [];
  let limit = lastSeq;
  const seen = new Set<number>();
  for (let id: number | null = branch; id !== null && !seen.has(id); ) {
    seen.add(id);
    segments.push(ownRanges(tree, id, lastSeq, limit));
    const found: Branch | undefined = branchById(tree, id);
    limit = Math.min(limit, found?.forkSeq ?? 0);
    id = limit === 0 ? null : (found?.origin ?? null);
  }
  return segments.reverse().flat();
}

/** The entries that a branch wrote, up to `limit`. */
export function ownRanges(tree: Tree, branch: number, lastSeq: number, limit: number = lastSeq): SeqRange[] {
  const ranges: SeqRange[] = [];
  const { runs } = tree;
  for (let index = 0; index < runs.length; index++) {
    const [from, owner] = runs[index] as Run;
    if (from > limit) break;
    if (owner === branch) add(ranges, from, Math.min(limit, endOfRun(tree, index, lastSeq)));
  }
  return ranges;
}

/** The same of every branch that wrote something. It takes as long as for one. */
export function allOwnRanges(tree: Tree, lastSeq: number): Map<number, SeqRange[]> {
  const all = new Map<number, SeqRange[]>();
  for (const [index, [from, owner]] of tree.runs.entries()) {
    const ranges = all.get(owner) ?? [];
    all.set(owner, ranges);
    add(ranges, from, endOfRun(tree, index, lastSeq));
  }
  return all;
}

function endOfRun({ runs }: Tree, index: number, lastSeq: number): number {
  return (runs[index + 1]?.[0] ?? lastSeq + 1) - 1;
}

/** The first run is empty if the log begins with an entry on no branch. */
function add(ranges: SeqRange[], from: number, to: number): void {
  const last = ranges.at(-1);
  if (from > to) return;
  if (last !== undefined && last[1] === from - 1) ranges[ranges.length - 1] = [last[0], to];
  else ranges.push([from, to]);
}

/** Whether one of the ranges, which must ascend, contains `seq`. */
export function holds(ranges: readonly SeqRange[], seq: number): boolean {
  const range = ranges[countUpTo(ranges, seq, ([from]) => from) - 1];
  return range !== undefined && seq <= range[1];
}

export function lengthOf(ranges: readonly SeqRange[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}

/** The parts of `ranges` between `from` and `to`, inclusive. */
export function within(ranges: readonly SeqRange[], from: number, to: number): SeqRange[] {
  return ranges.flatMap(([start, end]) => {
    const range: SeqRange = [Math.max(start, from), Math.min(end, to)];
    return range[0] <= range[1] ? [range] : [];
  });
}

/** The number of messages in ranges of one path. Unreadable entries count as messages. */
export function messagesIn(tree: Tree, ranges: readonly SeqRange[]): number {
  return lengthOf(ranges) - tree.others.filter((seq) => holds(ranges, seq)).length;
}

/** The latest compaction on a path that was not undone. */
export function lastCompaction(tree: Tree, path: readonly SeqRange[]): Compaction | undefined {
  return liveCompactions(tree).findLast(({ seq }) => holds(path, seq));
}

/** Entries that only pruned branches contain. */
export function unreachable(tree: Tree, lastSeq: number): SeqRange[] {
  if (tree.pruned.length === 0) return [];
  // Up to which entry of each branch a live branch still shares it.
  const kept = new Map<number, number>();
  for (const branch of liveBranches(tree)) {
    let limit = lastSeq;
    for (let id: number | null = branch.id; id !== null; ) {
      if ((kept.get(id) ?? 0) >= limit) break;
      kept.set(id, limit);
      const found: Branch | undefined = branchById(tree, id);
      limit = Math.min(limit, found?.forkSeq ?? 0);
      id = limit === 0 ? null : (found?.origin ?? null);
    }
  }
  const ranges = allOwnRanges(tree, lastSeq);
  return tree.pruned
    .flatMap((id) => within(ranges.get(id) ?? [], (kept.get(id) ?? 0) + 1, lastSeq))
    .sort((a, b) => a[0] - b[0]);
}

/** Where two branches diverge, and the entries of each after that. */
export function compare(
  tree: Tree,
  a: number,
  b: number,
  lastSeq: number,
): { readonly commonSeq: number; readonly a: SeqRange[]; readonly b: SeqRange[] } {
  const [pathA, pathB] = [pathOf(tree, a, lastSeq), pathOf(tree, b, lastSeq)];
  let commonSeq = 0;
  for (let index = 0; ; index++) {
    const [rangeA, rangeB] = [pathA[index], pathB[index]];
    if (rangeA === undefined || rangeB === undefined || rangeA[0] !== rangeB[0]) break;
    commonSeq = Math.min(rangeA[1], rangeB[1]);
    if (rangeA[1] !== rangeB[1]) break;
  }
  return {
    commonSeq,
    a: within(pathA, commonSeq + 1, lastSeq),
    b: within(pathB, commonSeq + 1, lastSeq),
  };
}

/** Whether the tree is `main` alone, so that reading needs no ranges. */
export function isSingle(tree: Tree): boolean {
  return runsOf(tree).length === 1 && tree.active === MAIN && tree.current !== OFF_PATH;
}
