/** Text that others write, piece by piece, without what a terminal obeys. */
import { safeText } from "../../util/visible-text.ts";

// Written as escapes, so that this file contains no invisible character.
const ESC = "\\u001b";
const CONTROL = `(?:${ESC}\\[|\\u009b)[0-?]*[ -/]*`;
const STRING = `(?:${ESC}[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])\\P{Cc}*${ESC}?`;
/** The beginning of a sequence whose end has not arrived. */
const UNFINISHED = new RegExp(`(?:${CONTROL}|${STRING}|${ESC}[ -/]*)$`, "u");
/** A title or a clipboard that does not end is not waited for. */
const SEQUENCE_MAX = 4096;

/** A sequence, a line break or a character can be cut between two pieces; such an end waits for the next piece. */
export class SafeStream {
  #held = "";

  push(piece: string): string {
    const text = this.#held + piece;
    const end = text.length - unfinishedLength(text);
    this.#held = text.slice(end);
    return safeText(text.slice(0, end));
  }

  end(): string {
    const rest = safeText(this.#held);
    this.#held = "";
    return rest;
  }
}

function unfinishedLength(text: string): number {
  const end = text.slice(-SEQUENCE_MAX);
  const found = UNFINISHED.exec(end);
  // The search for one that is longer would be a search in all of the text.
  if (found !== null && (found.index > 0 || end.length < SEQUENCE_MAX)) return found[0].length;
  return /[\r\ud800-\udbff]$/.test(text) ? 1 : 0;
}
