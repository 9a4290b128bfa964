import { isPlainObject } from "../util/json.ts";
import type { StoredEntry } from "./types.ts";

/** Whether the content of an entry was erased. */
export function isRedacted({ message, data }: Pick<StoredEntry, "message" | "data">): boolean {
  const noted = message === undefined ? data : message.extra?.colloquy;
  return isPlainObject(noted) && ("redactedAt" in noted || "redacted_at" in noted);
}
