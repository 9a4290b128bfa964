/** Marks of Markdown that say nothing in a row of the list: of code, tables, headings, items, quotes and emphasis. */
const MARKS = /`+|\*\*|^\s*(?:[#>]+\s*|[-*+]\s+)|(?:\s*\|\s*(?::?-{2,}:?)?)+/g;
/** Its address may be cut. */
const LINK = /\[([^\]]*)\]\([^)\s]*\)?/g;

/** Around what is marked, while marks of Markdown are removed. */
const [START, END] = ["\u{e000}", "\u{e001}"] as const;

export interface Words {
  readonly text: string;
  readonly isMarked: boolean;
}

/** The same of a text with marked parts: a link may begin in one of them and end after it. */
export function markedWords(text: string, marked: readonly (readonly [number, number])[]): Words[] {
  let at = 0;
  let whole = "";
  for (const [start, end] of marked) {
    whole += `${text.slice(at, start)}${START}${text.slice(start, end)}${END}`;
    at = end;
  }
  return plainWords(whole + text.slice(at))
    .split(/(\u{e000}[^\u{e001}]*)\u{e001}?/u)
    .filter((part) => part !== "")
    .map((part) => ({ text: part.replaceAll(/[\u{e000}\u{e001}]/gu, ""), isMarked: part.startsWith(START) }));
}

/** A short text without them. Spaces at its ends stay: it may be a part of a line. */
export function plainWords(text: string): string {
  return text
    .replaceAll(LINK, "$1")
    .replaceAll(MARKS, (mark) => (mark.includes("|") ? " " : ""))
    .replaceAll(/\s+/g, " ");
}
