/**
 * Text as a person may see it: nothing in it can turn the reading direction
 * around, hide itself or be taken for something else by a viewer. Marks that
 * right-to-left languages need inside of words stay.
 */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
// Written as parts, so that no invisible character stands in this file.
const CONTROLS = /(?![\n\t])\p{Cc}|[\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

export function visibleText(text: string): string {
  return text.replace(LINE_ENDS, "\n").replace(REORDERING, named).replace(CONTROLS, named).toWellFormed();
}

/** On one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/\s+/g, " ").trim();
}

function named(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
}

/** `2026-11-15 06:35 UTC` */
export function timeText(at: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(at) ?? [];
  return day === undefined ? visibleLine(at) : `${day} ${time} UTC`;
}
