import { hash } from "node:crypto";
import type { Json } from "../../../util/json.ts";

/** What a value says, in a few characters, however it was written. */
export function printOf(value: Json): string {
  try {
    return hash("sha256", JSON.stringify(value));
  } catch {
    // Nested more deeply than can be written out; no message is.
    return "deep";
  }
}
