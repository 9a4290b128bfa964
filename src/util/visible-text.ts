/**
 * Text that others wrote, made safe to show.
 *
 * Such text could otherwise move the cursor, change the window's title, write to
 * the clipboard or reverse the reading direction, and so show the user something
 * else than what is stored. A terminal gets it without such characters; a document,
 * which is kept and passed on, gets their names instead.
 */

// Written as escapes, so that this file contains no invisible character.
const ESC = "(?:\\u001b";
/** Strings for the terminal: title, clipboard, links. They end with BEL or ST. */
const STRING = `${ESC}[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])\\P{Cc}*(?:\\u0007|\\u001b\\\\|\\u009c)`;
/** Cursor, colour and mode. */
const CONTROL = `${ESC}\\[|\\u009b)[0-?]*[ -/]*[@-~]`;
const SHORT = `${ESC}[ -/]*[0-~])`;
// Every part stops at the next control character, so hostile text costs no more than other text.
const SEQUENCES = new RegExp(`${STRING}|${CONTROL}|${SHORT}`, "gu");

const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const INVISIBLE = /\p{Cc}|\p{Bidi_Control}/gu;
const INVISIBLE_BUT_NEWLINE = /(?!\n)\p{Cc}|\p{Bidi_Control}/gu;
/** Marks that right-to-left languages need inside words stay in a document. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g;
const CONTROLS = /(?![\n\t])\p{Cc}|[\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const PLAIN = /^[ -~]*$/;

/** Without the sequences that a terminal obeys. Other control characters stay. */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCES, "");
}

/** For a terminal, on one line: line breaks and tabs become a space. */
export function safeLine(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(SEQUENCES, "").replace(BREAKS, " ").replace(INVISIBLE, "").toWellFormed();
}

/** For a terminal, with its line breaks. */
export function safeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(SEQUENCES, "")
    .replace(LINE_ENDS, "\n")
    .replaceAll("\t", "    ")
    .replace(INVISIBLE_BUT_NEWLINE, "")
    .toWellFormed();
}

/** For a document, with its line breaks. */
export function visibleText(text: string): string {
  return text.replace(LINE_ENDS, "\n").replace(REORDERING, named).replace(CONTROLS, named).toWellFormed();
}

/** For a document, on one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/\s+/g, " ").trim();
}

function named(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
}

/** A word quoted for a shell. */
export function quoted(text: string): string {
  return /^[\w.:/@%+=~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
