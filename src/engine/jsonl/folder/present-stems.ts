import type { FileIo } from "../../../disk/file-io.ts";
import { purgedStemOf, stemOf } from "./names.ts";

/** The conversations in the folder of a store, and whether each is in the trash. */
export function presentStems(io: FileIo, folder: string, trash: string): Map<string, boolean> {
  const live = stemsIn(io, folder);
  const trashed = stemsIn(io, trash);
  // The folder of the log decides: a crash during a move can leave the metadata in the other one.
  for (const stem of trashed.logs) live.metadata.delete(stem);
  const present = new Map<string, boolean>();
  for (const stem of [...live.logs, ...live.metadata]) present.set(stem, false);
  for (const stem of trashed.logs) if (!live.logs.has(stem)) present.set(stem, true);
  for (const stem of live.purging) present.delete(stem);
  return present;
}

interface Stems {
  readonly logs: Set<string>;
  readonly metadata: Set<string>;
  /** Those whose purge was interrupted and will be completed. */
  readonly purging: Set<string>;
}

function stemsIn(io: FileIo, folder: string): Stems {
  const stems: Stems = { logs: new Set(), metadata: new Set(), purging: new Set() };
  if (io.stat(folder) === undefined) return stems;
  for (const name of io.list(folder)) {
    const stem = stemOf(name);
    if (stem !== undefined) (name.endsWith(".jsonl") ? stems.logs : stems.metadata).add(stem);
    else if (name.endsWith(".purge")) stems.purging.add(purgedStemOf(name) ?? "");
  }
  return stems;
}
