import { sqliteCode } from "../disk/sqlite-code.ts";
import { ColloquyError } from "../errors.ts";

const SQLITE_CORRUPT = 11;
const SQLITE_CONSTRAINT = 19;
const SQLITE_NOTADB = 26;

/** Damage that SQLite does not notice. */
export class DamageError extends Error {
  override readonly name = "DamageError";
}

/**
 * Whether reading failed because the file is damaged: a page makes no sense, an
 * index has a row twice or hides one, or a number is larger than any that is
 * ever written.
 */
export function isDamage(error: unknown): boolean {
  const cause = error instanceof ColloquyError ? error.cause : error;
  const code = sqliteCode(cause);
  if (code === SQLITE_CORRUPT || code === SQLITE_CONSTRAINT || code === SQLITE_NOTADB) return true;
  return (
    cause instanceof DamageError ||
    cause instanceof RangeError ||
    (cause as { code?: unknown } | undefined)?.code === "ERR_OUT_OF_RANGE"
  );
}
