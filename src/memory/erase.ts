import { ColloquyError } from "../errors.ts";
import { emptyLog } from "../sqlite/empty-log.ts";
import { migrationCopies } from "../sqlite/migrate.ts";
import { scrubInProcess } from "../sqlite/scrub-slices.ts";
import { isoTime } from "../util/time.ts";
import { waitUntil } from "../util/wait.ts";
import type { MemoryFile } from "./database/memory-file.ts";

const LOG_WAIT_MS = 2000;

/** What was forgotten. It holds no text. */
export interface ForgetReceipt {
  readonly at: string;
  readonly chunks: readonly string[];
  readonly sources: readonly string[];
  /** Of text, in UTF-8. */
  readonly bytes: number;
  /** Files that may still hold the text, such as copies that migrations made. */
  readonly copies: readonly string[];
}

/**
 * Forget a chunk by its id, or a source by its name: text, words, vectors, and
 * the bytes of all of them in the file. A file that still holds the text does
 * not bring it back.
 */
export async function forget(file: MemoryFile, idOrSource: string, nowMs: number): Promise<ForgetReceipt> {
  const { chunks } = file;
  const removed = await file.write(() => {
    const one = chunks.byUid(idOrSource);
    const rows = one === undefined ? chunks.ofSource(idOrSource) : [one];
    if (rows.length === 0) {
      const message =
        "There is no chunk and no source of this name in memory. List them: colloquy memory list";
      throw new ColloquyError("NOT_FOUND", message);
    }
    for (const row of rows) chunks.forget(row, nowMs);
    const [source] = rows.map(({ name }) => String(name));
    // A file stays known, so that it is not read again as long as it is the same.
    if (rows[0]?.kind !== "file" && chunks.ofSource(source as string).length === 0) {
      chunks.removeSource(source as string);
    }
    return rows;
  });
  const left = await eraseRest(file);
  return {
    at: isoTime(nowMs),
    chunks: removed.map(({ uid }) => String(uid)),
    sources: [...new Set(removed.map(({ name }) => String(name)))],
    bytes: removed.reduce((sum, { text }) => sum + Buffer.byteLength(String(text)), 0),
    copies: [...left, ...migrationCopies(file.path)],
  };
}

/**
 * Deleted rows are overwritten. What remains is in gaps of pages and in the log.
 * Returns the files that could not be cleaned, because another process reads them.
 */
async function eraseRest({ path, database }: MemoryFile): Promise<string[]> {
  try {
    await scrubInProcess(path);
  } catch {
    return [path, `${path}-wal`];
  }
  return (await waitUntil(() => emptyLog(database), LOG_WAIT_MS)) ? [] : [`${path}-wal`];
}
