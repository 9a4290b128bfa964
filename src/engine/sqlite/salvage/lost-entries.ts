/**
 * Which entries of a conversation are missing, and what keeps their places.
 *
 * A place is an entry of kind `removed` with the data `{"lost":true}`: parents
 * lead to it, the tree is counted from it, and it is not reported again.
 */
import { REMOVED_KIND } from "../../../message/entry.ts";
import { holds, unreachable } from "../../../tree/path.ts";
import { foldAll, MAIN, type Mark, OFF_PATH, PLAIN, type Tree } from "../../../tree/tree.ts";
import type { Json } from "../../../util/json.ts";
import { isoTime } from "../../../util/time.ts";
import { LOST_BODY, parsed } from "../rows.ts";
import { coveredColumns, rowSum } from "../sums.ts";
import type { SalvagedRow } from "./salvaged.ts";

export interface EntryRow extends SalvagedRow {
  n: number;
  conversation: number;
  seq: number;
  id: string;
  parent_id: string | null;
  kind: string;
  at: number;
  op: string | null;
  body: string;
  branch: number | null;
  blobs: string | null;
  sum: number;
}

/** What is known of an entry that cannot be read. */
export interface LostEntry {
  readonly seq: number;
  readonly n?: number | undefined;
  readonly id?: string | undefined;
}

export function isLostPlace({ kind, body }: EntryRow): boolean {
  return kind === REMOVED_KIND && body === LOST_BODY;
}

/**
 * The entries that are missing from a log. `indexed` are those that an index
 * names. An index that names every entry that is there is complete; otherwise
 * every gap is a loss, except where branches were pruned.
 */
export function lostEntries(
  present: readonly EntryRow[],
  indexed: ReadonlyMap<number, LostEntry>,
  lastSeq: number,
): LostEntry[] {
  const seqs = new Set(present.map(({ seq }) => seq));
  const end = Math.max(lastSeq, ...seqs, ...indexed.keys());
  const isComplete = present.every(({ seq }) => indexed.has(seq));
  const swept = isComplete ? [] : unreachable(treeOf(present), end);
  const cut = isComplete ? gapsBeforeOrphans(present) : undefined;
  const lost: LostEntry[] = [];
  for (let seq = 1; seq <= end; seq++) {
    if (seqs.has(seq)) continue;
    const known = indexed.get(seq);
    const isGap = cut === undefined ? !holds(swept, seq) : cut.has(seq);
    if (known !== undefined || isGap) lost.push(known ?? { seq });
  }
  return lost;
}

/** Entries that are missing right before one whose parent is missing. */
function gapsBeforeOrphans(present: readonly EntryRow[]): Set<number> {
  const ids = new Set(present.map(({ id }) => id));
  const gaps = new Set<number>();
  for (const [index, { seq, parent_id, kind, branch }] of present.entries()) {
    if (parent_id === null || ids.has(parent_id) || kind === REMOVED_KIND || (branch ?? 0) < 0) continue;
    for (let gap = seq - 1; gap > (present[index - 1]?.seq ?? 0); gap--) gaps.add(gap);
  }
  return gaps;
}

function treeOf(present: readonly EntryRow[]): Tree {
  const marks = present.flatMap(({ seq, id, kind, at, branch, body }, index): [Mark, string | null][] => {
    if (branch === null) return [];
    const data = kind === "message" ? undefined : (parsed(body) as Json | undefined);
    return [[{ seq, id, kind, at: isoTime(at), branch, data }, present[index - 1]?.id ?? null]];
  });
  return foldAll(PLAIN, marks);
}

/** The whole log, in order, with a place for each lost entry. */
export function withPlaces(
  conversation: number,
  present: readonly EntryRow[],
  lost: readonly LostEntry[],
  nextN: () => number,
): EntryRow[] {
  const bySeq = new Map(present.map((entry) => [entry.seq, entry]));
  const ids = new Set(present.map(({ id }) => id));
  const log: EntryRow[] = [];
  let branch = MAIN;
  const missing = new Map(lost.map((entry) => [entry.seq, entry]));
  for (const seq of [...bySeq.keys(), ...missing.keys()].sort((a, b) => a - b)) {
    const there = bySeq.get(seq);
    const known = missing.get(seq);
    const before = log.at(-1);
    if (there === undefined && known !== undefined) {
      const id = known.id ?? orphanedId(bySeq.get(seq + 1), ids) ?? `lost-${seq}`;
      ids.add(id);
      log.push(
        sealed({
          n: known.n ?? nextN(),
          conversation,
          seq,
          id,
          parent_id: before?.id ?? null,
          kind: REMOVED_KIND,
          at: before?.at ?? bySeq.get(seq + 1)?.at ?? 0,
          op: null,
          body: LOST_BODY,
          branch,
          blobs: null,
          sum: 0,
        }),
      );
    }
    if (there === undefined) continue;
    if (there.branch !== null && there.branch !== OFF_PATH) branch = there.branch;
    log.push(there);
  }
  return log;
}

/** The entry after a gap names the last one of it. */
function orphanedId(after: EntryRow | undefined, ids: ReadonlySet<string>): string | undefined {
  const parent = after?.parent_id ?? null;
  return parent === null || ids.has(parent) ? undefined : parent;
}

export function sealed<T extends SalvagedRow>(row: T): T {
  return { ...row, sum: rowSum(...coveredColumns("entries").map((column) => row[column])) };
}
