/** Marks of Markdown that say nothing in a row of the list: of code, tables, headings, quotes and emphasis. */
const MARKS = /`+|\*\*|^\s*[#>]+\s*|(?:\s*\|\s*(?::?-{2,}:?)?)+/g;

/** A short text without them. Spaces at its ends stay: it may be a part of a line. */
export function plainWords(text: string): string {
  return text.replaceAll(MARKS, (mark) => (mark.includes("|") ? " " : "")).replaceAll(/\s+/g, " ");
}
