import type { FileIo } from "../../../disk/file-io.ts";
import { linesForward } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import { REMOVED_KIND } from "../../../message/entry.ts";
import {
  type AdvanceListener,
  advance,
  type BadLine,
  EMPTY_LOG,
  type LogState,
} from "../../../transcript/log-state.ts";
import { OFF_PATH } from "../../../tree/tree.ts";

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
  readonly orphans: readonly Orphan[];
  /** Whether the parent of an orphan follows it in the log. */
  isLate(orphan: Orphan): boolean;
  readonly blobs: ReadonlySet<string>;
}

export interface ScanListener {
  bad?(line: BadLine): void;
  duplicate?(id: string): void;
}

/** Read every line of a log. An orphan directly after a gap is known and not returned. */
export function scanLog(
  io: FileIo,
  path: string,
  syncedBytes: number,
  listener: ScanListener = {},
): ScannedLog {
  const blobs = new Set<string>();
  const ids = new Set<string>();
  const orphans: Orphan[] = [];
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
  return withFile(io, path, "read", (file) => {
    const { size } = io.statOpen(file);
    const state = advance(io, file, EMPTY_LOG, size, listening, syncedBytes);
    return { state, size, orphans, isLate: ({ parentId }) => ids.has(parentId), blobs };
  });
}

/** The number of lines before a position. */
export function linesBefore(io: FileIo, path: string, position: number): number {
  return withFile(io, path, "read", (file) => {
    let count = 0;
    for (const _ of linesForward(io, file, 0, position)) count++;
    return count;
  });
}
