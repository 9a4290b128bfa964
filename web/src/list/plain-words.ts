/** Marks of Markdown that say nothing in a row of the list: of code, tables, headings, items, quotes and emphasis. */
const MARKS = /`+|\*\*|^\s*(?:[#>]+\s*|[-*+]\s+)|(?:\s*\|\s*(?::?-{2,}:?)?)+/g;
/** Its address may be cut. */
const LINK = /\[([^\]]*)\]\([^)\s]*\)?/g;

/** A short text without them. Spaces at its ends stay: it may be a part of a line. */
export function plainWords(text: string): string {
  return text
    .replaceAll(LINK, "$1")
    .replaceAll(MARKS, (mark) => (mark.includes("|") ? " " : ""))
    .replaceAll(/\s+/g, " ");
}
