/**
 * Text from a message, title or key on its way to a terminal.
 *
 * Whoever wrote it could otherwise move the cursor, change the window's title,
 * write to the clipboard or turn the reading direction around, and so show the
 * owner something else than what is stored.
 */

// Written as parts, so that no invisible character stands in this file.
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
const PLAIN = /^[ -~]*$/;

/** On one line: line breaks and tabs become a space. */
export function safeLine(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(SEQUENCES, "").replace(BREAKS, " ").replace(INVISIBLE, "").toWellFormed();
}

/** With its line breaks. */
export function safeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(SEQUENCES, "")
    .replace(LINE_ENDS, "\n")
    .replaceAll("\t", "    ")
    .replace(INVISIBLE_BUT_NEWLINE, "")
    .toWellFormed();
}
