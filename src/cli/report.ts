import type { ColloquyError } from "../errors.ts";
import { jsonText } from "./json-text.ts";
import { safeLine } from "./safe-text.ts";

/** One readable line on standard error, or the error contract. Loaded only when something is wrong. */
export function report(kind: "error" | "warning", error: ColloquyError, json: boolean): void {
  const word = kind === "error" ? "Error" : "Warning";
  const line = json ? jsonText({ [kind]: error.toJSON() }, 0) : `${word}: ${safeLine(error.message)}`;
  process.stderr.write(`${line}\n`);
}
