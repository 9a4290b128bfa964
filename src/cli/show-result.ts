import type { Call, Result } from "./command.ts";
import { EXIT_DONE } from "./exit.ts";

/** Writes what a command shows, and returns its exit code. */
export async function showResult(
  { json: isJson, out }: Pick<Call, "json" | "out">,
  { json, lines = [], isLong, notes = [], exit }: Result,
): Promise<number> {
  if (isJson) {
    if (json !== null) out.json(json);
  } else {
    if (isLong) await out.page(lines);
    else if (lines.length > 0) out.lines(lines);
    for (const note of notes) out.note(note);
  }
  return exit ?? EXIT_DONE;
}
