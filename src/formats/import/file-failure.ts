/** What a failure means that is not the fault of the file itself. */
import { ColloquyError, type ErrorCode } from "../../errors.ts";
import { problemOf } from "../sources/problem.ts";

/** The store takes no writes from any file: it is full, closed, read-only, or its disk fails. */
export function isOfStore(error: unknown): boolean {
  if (!(error instanceof ColloquyError) || problemOf(error) !== undefined) return false;
  return STORE_FAILURES.has(error.code);
}

const STORE_FAILURES: ReadonlySet<ErrorCode> = new Set(["SERVICE_UNAVAILABLE", "FORBIDDEN", "NOT_SUPPORTED"]);

export function unexpected(error: unknown, isKept: boolean): string {
  const message = error instanceof Error ? error.message : String(error);
  return isKept
    ? `imported only in part: ${message}. The next import reads it again and adds the rest`
    : `could not be imported: ${message}. The next import reads it again`;
}
