/** What the ledger notes of a file. */
import type { SourceFile } from "../sources/types.ts";
import type { FileSink } from "./file-sink.ts";
import type { FileMemory } from "./ledger/ledger.ts";

/** How far a file has been read. */
export interface Read {
  readonly format: string | null;
  readonly offset: number;
  readonly line: number;
  readonly whole: boolean;
  readonly kept?: FileMemory["kept"];
  readonly awaits?: string | undefined;
  readonly former?: FileMemory["former"];
  readonly reader?: unknown;
}

/** Where a file begins. */
export const START: FileMemory["kept"] = { offset: 0, line: 1 };

/** Whether a file is as it was at its last import. */
export function isUnchanged(file: SourceFile, memory: FileMemory): boolean {
  const { identity, size, modifiedMs } = memory;
  return identity === file.identity && size === file.size && modifiedMs === file.modifiedMs;
}

export function memoryOf(
  { path, identity, size, modifiedMs }: SourceFile,
  { reader, ...read }: Read,
  sink: FileSink | undefined,
  fingerprint: string,
): FileMemory {
  // Nothing was added to a conversation in the trash. If it is restored, the whole file has to be read.
  const isLost = sink?.hasTrashed === true;
  const reached = isLost ? { ...read, offset: 0, line: 1, whole: false } : read;
  // The state of its reader may hold words of a purged conversation. Without it, all of a grown file is read again.
  const isPurged = sink?.hasPurged === true;
  return {
    path,
    identity,
    size,
    modifiedMs,
    ...reached,
    fingerprint,
    reader: isPurged ? undefined : reader,
    sink: isPurged ? {} : (sink?.save() ?? {}),
    kept: read.kept ?? START,
    skipped: sink?.skipped ?? [],
  };
}
