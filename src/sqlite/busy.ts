import { holderOf } from "../disk/lock-holder.ts";
import { extendedCode, isBusy, sqliteCode } from "../disk/sqlite-code.ts";
import { asColloquyError, ColloquyError, invalid, unavailable } from "../errors.ts";
import { waitUntil } from "../util/wait.ts";

const SQLITE_TOOBIG = 18;
const SQLITE_CONSTRAINT = 19;
const SQLITE_NOTADB = 26;
/** `SQLITE_IOERR_WRITE`, and `SQLITE_IOERR_SHMSIZE`, which opening a file on a full disk ends with. */
const WRITE_FAILED: ReadonlySet<number | undefined> = new Set([778, 4874]);

/** What SQLite's result codes mean to the user. */
const REASONS: Readonly<Record<number, string>> = {
  8: "it is read-only",
  10: "reading or writing failed",
  11: "it is damaged. Back it up, then repair it: colloquy sessions validate --repair",
  13: "the disk is full",
  14: "it cannot be opened",
};

/** Any error of SQLite, as a `ColloquyError`. */
export function sqliteError(error: unknown, path: string): ColloquyError {
  if (error instanceof ColloquyError) return error;
  const code = sqliteCode(error);
  const text = (error as Error).message;
  if (code === SQLITE_NOTADB) {
    const message = `${path} is not a SQLite file`;
    return new ColloquyError("VALIDATION_ERROR", message, { field: "target", cause: error });
  }
  if (code === SQLITE_TOOBIG) return invalid("The message is longer than SQLite can store", "content");
  if (code === undefined) return asColloquyError(error, path);
  if (isBusy(error)) return lockedBy(path, error);
  // The file and its disk are well: it is an error of the code that writes.
  if (code === SQLITE_CONSTRAINT) {
    return new ColloquyError("INTERNAL_ERROR", `${path}: SQLite refused a row (${text})`, { cause: error });
  }
  if (WRITE_FAILED.has(extendedCode(error))) {
    return unavailable(`${path}: writing failed, and the disk is probably full (${text})`, { cause: error });
  }
  return unavailable(`${path}: ${REASONS[code] ?? "SQLite failed"} (${text})`, { cause: error });
}

function lockedBy(path: string, cause: unknown): ColloquyError {
  // In WAL mode, writers lock the shared-memory file.
  const holder = holderOf(`${path}-shm`);
  return unavailable(`${path} is locked by ${holder}`, { cause, details: { holder } });
}

/** Retry while another connection has the lock, without blocking the thread. */
export async function retryBusy<T>(
  path: string,
  waitMs: number,
  attempt: () => T,
  pauseMs?: number,
): Promise<T> {
  let result: { value: T } | undefined;
  let busy: unknown;
  const done = await waitUntil(
    () => {
      try {
        result = { value: attempt() };
        return true;
      } catch (error) {
        busy = error;
        if (isBusy(error)) return false;
        throw error;
      }
    },
    waitMs,
    pauseMs,
  );
  if (!done || result === undefined) throw lockedBy(path, busy);
  return result.value;
}
