/** Permanently removes branches. */
import { ColloquyError, invalid } from "../../errors.ts";
import type { StoredEntry } from "../../message/types.ts";
import { checkLabel, checkProperties } from "../../message/validate.ts";
import { allOwnRanges, ownRanges, unreachable, within } from "../../tree/path.ts";
import type { LogEnd } from "../../tree/place-entries.ts";
import { type Branch, branchById, liveBranches, type Tree } from "../../tree/tree.ts";
import { isoTime } from "../../util/time.ts";
import type { StoreAccess } from "../access.ts";
import { eraseFromOriginals } from "../originals/erase-originals.ts";
import { branchNamed, logEndOf, storedRanges } from "../read/lookups.ts";
import { NO_OPTIONS, pendingEntry, write } from "../write/writing.ts";

export interface PruneOptions {
  /** Branches without a new entry for N days. */
  readonly olderThanDays?: number;
  /** Always keep the N most recently written; with no other criterion, prune the rest. */
  readonly keep?: number;
  /** Branches with no child branches, if the checked-out branch was written after them. */
  readonly abandoned?: boolean;
  /** Prune the branches with these names. */
  readonly names?: readonly string[];
  /** Only report what would be removed. */
  readonly dryRun?: boolean;
}

export interface Pruned {
  readonly dryRun: boolean;
  readonly removed: readonly {
    readonly id: string;
    readonly name: string;
    readonly entries: number;
    readonly bytes: number;
  }[];
  readonly bytes: number;
  /** Earlier copies that may contain the same content. */
  readonly copies: readonly string[];
}

const ATTEMPTS = 5;
const DAY_MS = 86_400_000;

export async function prune(store: StoreAccess, id: string, options: PruneOptions): Promise<Pruned> {
  const dryRun = checkPrune(options);
  store.assertTree();
  if (!dryRun) store.assertWritable();
  for (let attempt = 1; ; attempt++) {
    const logEnd = await logEndOf(store, id);
    const chosen = await choose(store, id, logEnd, options);
    const { removed, entries } = await weigh(store, id, logEnd, chosen);
    try {
      const copies = dryRun || chosen.length === 0 ? [] : await remove(store, id, logEnd, chosen, entries);
      return { dryRun, removed, bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0), copies };
    } catch (error) {
      // A concurrent writer added to one of them: check again whether it still matches.
      const moved = error instanceof ColloquyError && error.code === "CONFLICT" && error.field === "branches";
      if (!moved || attempt === ATTEMPTS) throw error;
    }
  }
}

/** What pruning these branches would remove. */
async function weigh(
  store: StoreAccess,
  id: string,
  { tree, lastSeq }: LogEnd,
  chosen: readonly Branch[],
): Promise<Pick<Pruned, "removed"> & { readonly entries: readonly StoredEntry[] }> {
  const without: Tree = { ...tree, pruned: [...tree.pruned, ...chosen.map((branch) => branch.id)] };
  const gone = unreachable(without, lastSeq);
  const removed = [];
  const all: StoredEntry[] = [];
  const ranges = allOwnRanges(tree, lastSeq);
  for (const { id: branch, name } of chosen) {
    const own = (ranges.get(branch) ?? []).flatMap(([from, to]) => within(gone, from, to));
    const entries = await storedRanges(store, id, name, own);
    all.push(...entries);
    removed.push({
      id,
      name,
      entries: entries.length,
      bytes: entries.reduce((sum, entry) => sum + sizeOf(entry), 0),
    });
  }
  return { removed, entries: all };
}

function sizeOf({ blobs = [], ...entry }: StoredEntry): number {
  return blobs.reduce((sum, { size }) => sum + size, Buffer.byteLength(JSON.stringify(entry)));
}

async function remove(
  store: StoreAccess,
  id: string,
  { lastSeq }: LogEnd,
  chosen: readonly Branch[],
  entries: readonly StoredEntry[],
): Promise<readonly string[]> {
  const { copies } = await store.search.erasing(id, undefined, async () => {
    const nowMs = store.nowMs();
    const originals = await eraseFromOriginals(store, id, entries, nowMs);
    const data = { type: "prune", branches: chosen.map((branch) => branch.id), seen: lastSeq };
    const prune = pendingEntry(store, "info", data, nowMs);
    // One append, so that nothing changes in the originals of branches that stay because it is refused.
    const announced = originals.flatMap((operation) =>
      operation.type === "append"
        ? operation.entries.map((entry) => ({ entry, blobs: operation.blobs ?? [], content: {} }))
        : [],
    );
    const [, removed] = await store.queue.together(() => {
      const pruning = write(store, id, [prune, ...announced], NO_OPTIONS, nowMs);
      // Without the first it finds nothing to do.
      const sweeping = store.queue.push({ type: "sweep", conversation: id, at: isoTime(nowMs) });
      const others = originals.flatMap((operation) =>
        operation.type === "redact" ? store.queue.push({ ...operation, requires: prune.entry.id }) : [],
      );
      return Promise.all([pruning, sweeping, ...others]);
    });
    return removed;
  });
  return copies;
}

/** Branches that match an option: never `main`, never the checked-out one. */
async function choose(
  store: StoreAccess,
  id: string,
  logEnd: LogEnd,
  options: PruneOptions,
): Promise<Branch[]> {
  const { tree } = logEnd;
  const candidates = liveBranches(tree).filter(
    (branch) => branch.id !== tree.active && branch.id !== tree.trunk,
  );
  if (options.names !== undefined) {
    return [...new Set(options.names)].map((name) => {
      const branch = branchNamed(tree, checkLabel(name, "names"));
      if (!candidates.includes(branch)) {
        const reason = branch.id === tree.active ? "it is checked out" : "it is main";
        throw invalid(`Branch ${name} cannot be pruned: ${reason}`, "names");
      }
      return branch;
    });
  }
  const withTimes = await Promise.all(
    candidates.map(async (branch) => ({ branch, at: await lastWritten(store, id, logEnd, branch) })),
  );
  // By position in the log, because times are data. A branch that was never written to comes last.
  const ranges = allOwnRanges(tree, logEnd.lastSeq);
  const lastSeqOf = ({ id: branch }: Branch): number => ranges.get(branch)?.at(-1)?.[1] ?? 0;
  const newestFirst = withTimes.sort((a, b) => lastSeqOf(b.branch) - lastSeqOf(a.branch));
  const activeAt = await lastWritten(store, id, logEnd, branchById(tree, tree.active) as Branch);
  const before =
    options.olderThanDays === undefined ? undefined : store.nowMs() - options.olderThanDays * DAY_MS;
  return newestFirst
    .slice(options.keep ?? 0)
    .filter(({ branch, at }) => {
      if (before === undefined && options.abandoned !== true) return true;
      if (before !== undefined && at < isoTime(Math.max(0, before))) return true;
      return options.abandoned === true && at <= activeAt && !isLeft(tree, branch);
    })
    .map(({ branch }) => branch);
}

/** The time of the last entry written to the branch, or of its creation. */
async function lastWritten(
  store: StoreAccess,
  id: string,
  { tree, lastSeq }: LogEnd,
  branch: Branch,
): Promise<string> {
  const last = ownRanges(tree, branch.id, lastSeq).at(-1);
  const [entry] = last === undefined ? [] : await storedRanges(store, id, branch.name, [[last[1], last[1]]]);
  return entry?.at ?? branch.createdAt ?? isoTime(0);
}

/** Whether another branch starts on this one. */
function isLeft(tree: Tree, { id }: Branch): boolean {
  return liveBranches(tree).some(({ origin }) => origin === id);
}

const PRUNE_MEMBERS: ReadonlySet<string> = new Set(["olderThanDays", "keep", "abandoned", "names", "dryRun"]);

function checkPrune(options: PruneOptions): boolean {
  checkProperties(options, PRUNE_MEMBERS, "options");
  const { olderThanDays, keep, abandoned, names, dryRun = false } = options;
  if (olderThanDays === undefined && keep === undefined && abandoned !== true && names === undefined) {
    throw invalid("Specify which branches: olderThanDays, keep, abandoned or names", "options");
  }
  if (olderThanDays !== undefined && !(Number.isFinite(olderThanDays) && olderThanDays >= 0)) {
    throw invalid("olderThanDays must be 0 or more", "olderThanDays");
  }
  if (keep !== undefined && !(Number.isSafeInteger(keep) && keep >= 0)) {
    throw invalid("keep must be a non-negative integer", "keep");
  }
  if (names !== undefined && !Array.isArray(names)) throw invalid("names must be an array", "names");
  return dryRun === true;
}
