import { ColloquyError } from "../errors.ts";
import type { Finding } from "../store/index.ts";

/** SQLite's own code for a file whose content makes no sense. */
const SQLITE_CORRUPT = 11;

/** A store that is too damaged to open or read, as a finding. `undefined` for other failures. */
export function damagedFile(error: unknown, path: string | null): Finding | undefined {
  if (!(error instanceof ColloquyError) || error.code !== "SERVICE_UNAVAILABLE") return undefined;
  const { errcode, message } = (error.cause ?? {}) as { errcode?: number; message?: string };
  const corrupt = errcode !== undefined && (errcode & 0xff) === SQLITE_CORRUPT;
  if (!corrupt && !error.message.includes("the file was damaged")) return undefined;
  // Without the error's advice to run a check: this is the check.
  const reason = corrupt ? (message ?? error.message) : error.message;
  return { code: "damaged-file", conversation: null, source: path, line: null, message: reason };
}
