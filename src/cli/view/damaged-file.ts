import { ColloquyError } from "../../errors.ts";
import type { Finding } from "../../store/index.ts";
import type { StoreTarget } from "../store/store-target.ts";

/** SQLite's own number for a file whose content makes no sense. */
const SQLITE_CORRUPT = 11;

/** A store that is too damaged to be opened or read, as a finding; `undefined` for what failed otherwise. */
export function damagedFile(error: unknown, { path }: StoreTarget): Finding | undefined {
  if (!(error instanceof ColloquyError) || error.code !== "SERVICE_UNAVAILABLE") return undefined;
  const { errcode, message } = (error.cause ?? {}) as { errcode?: number; message?: string };
  const corrupt = errcode !== undefined && (errcode & 0xff) === SQLITE_CORRUPT;
  if (!corrupt && !error.message.includes("the file was damaged")) return undefined;
  // Without the advice for somebody who has not yet run one of the checks.
  const reason = corrupt ? (message ?? error.message) : error.message;
  return { code: "damaged-file", conversation: null, source: path, line: null, message: reason };
}
