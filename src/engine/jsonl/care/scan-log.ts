import type { FileIo } from "../../../disk/file-io.ts";
import { linesForward } from "../../../disk/line-scan.ts";
import { REMOVED_KIND } from "../../../message/entry.ts";
import {
  type AdvanceListener,
  advanceInSteps,
  type BadLine,
  EMPTY_LOG,
  type LogState,
} from "../../../transcript/log-state.ts";
import { entriesInCycles, type OddParent } from "../../../tree/cycles.ts";
import { OFF_PATH } from "../../../tree/tree.ts";
import type { Steps } from "../../../util/steps.ts";

/** An entry whose parent does not precede it. */
interface Orphan {
  readonly id: string;
  readonly parentId: string;
  /** Whether a bad line is directly before it, which a repair turns into a gap. */
  readonly afterBadLine: boolean;
}

export interface ScannedLog {
  readonly state: LogState;
  readonly size: number;
  /** The number of lines before the tail; 0 without a tail. */
  readonly linesBeforeTail: number;
  readonly orphans: readonly Orphan[];
  /** What is wrong with the parent of each orphan. */
  oddities(): readonly OddParent[];
  readonly blobs: ReadonlySet<string>;
}

export interface ScanListener {
  bad?(line: BadLine): void;
  duplicate?(id: string): void;
}

/** Read every line of a log. An orphan directly after a gap is known and not returned. */
export function* scanLog(
  io: FileIo,
  path: string,
  syncedBytes: number,
  listener: ScanListener = {},
): Steps<ScannedLog> {
  const blobs = new Set<string>();
  const ids = new Set<string>();
  const orphans: Orphan[] = [];
  // From the first orphan on: the entries before it follow earlier ones only.
  const parents = new Map<string, string | null>();
  let before: "entry" | "bad" | "gap" = "entry";
  const listening: AdvanceListener = {
    entry: ({ id, parentId, kind, blobs: references = [] }, _raw, branch) => {
      if (ids.has(id)) listener.duplicate?.(id);
      ids.add(id);
      for (const { hash } of references) blobs.add(hash);
      // A swept entry may be the parent of its remains, and of a pruned branch.
      const isLoose = branch === OFF_PATH || kind === REMOVED_KIND;
      if (parentId !== null && !isLoose && before !== "gap" && (parentId === id || !ids.has(parentId)))
        orphans.push({ id, parentId, afterBadLine: before === "bad" });
      if (orphans.length > 0 && !isLoose) parents.set(id, parentId);
      if (branch !== OFF_PATH) before = "entry";
    },
    bad: (line) => {
      if (before === "entry") before = "bad";
      listener.bad?.(line);
    },
    gap: () => {
      before = "gap";
    },
  };
  const file = io.open(path, "read");
  try {
    const { size } = io.statOpen(file);
    const state = yield* advanceInSteps(io, file, EMPTY_LOG, size, listening, syncedBytes);
    const linesBeforeTail = state.bytes < size ? linesBefore(io, file, state.bytes) : 0;
    const oddities = (): OddParent[] => {
      const circular = entriesInCycles(parents);
      return orphans.map(({ id, parentId }) => {
        if (!ids.has(parentId)) return "dangling-parent";
        return circular.has(id) ? "cycle" : "late-parent";
      });
    };
    return { state, size, linesBeforeTail, orphans, oddities, blobs };
  } finally {
    io.close(file);
  }
}

function linesBefore(io: FileIo, file: number, position: number): number {
  let count = 0;
  for (const _ of linesForward(io, file, 0, position)) count++;
  return count;
}
