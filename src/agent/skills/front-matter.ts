/**
 * The front matter of a Markdown file: lines of `key: value` between two lines of `---`.
 *
 * Of YAML it knows what people write there: plain and quoted strings, strings that continue on indented lines, and
 * blocks (`|` and `>`). Lists and nested values are skipped.
 */

export interface FrontMatter {
  readonly fields: ReadonlyMap<string, string>;
  /** The text after it. */
  readonly body: string;
}

const BEGIN = /^\uFEFF?---[ \t]*\r?\n/;
const END = /^(?:---|\.\.\.)[ \t]*$/;
const FIELD = /^([A-Za-z][\w-]{0,63}):(?:[ \t]+(.*))?$/;
const LINES_MAX = 1000;

/** `undefined` if the text has none, or one that does not end. */
export function parseFrontMatter(text: string): FrontMatter | undefined {
  const begin = BEGIN.exec(text);
  if (begin === null) return undefined;
  const lines: string[] = [];
  let at = begin[0].length;
  while (at < text.length && lines.length < LINES_MAX) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end).replace(/\r$/, "");
    at = end < 0 ? text.length : end + 1;
    if (END.test(line)) return { fields: fieldsOf(lines), body: text.slice(at) };
    lines.push(line);
  }
  return undefined;
}

function fieldsOf(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let index = 0; index < lines.length; index++) {
    const [, name, first = ""] = FIELD.exec(lines[index] ?? "") ?? [];
    if (name === undefined) continue;
    const more: string[] = [];
    while (/^(?:[ \t]|$)/.test(lines[index + 1] ?? "-")) more.push(lines[++index] ?? "");
    const value = textIn(first.trim(), more);
    if (value !== undefined && !fields.has(name)) fields.set(name, value);
  }
  return fields;
}

function textIn(first: string, more: readonly string[]): string | undefined {
  const trimmed = more.map((line) => line.trim());
  if (/^\|[+-]?$/.test(first)) return trimmed.join("\n").trim();
  const words = /^>[+-]?$/.test(first) ? trimmed : [withoutComment(first), ...trimmed];
  const text = words.join(" ").replace(/\s+/g, " ").trim();
  // A list or a nested value.
  if (first === "" && /^(?:- |[\w-]+:(?: |$))/.test(text)) return undefined;
  return unquoted(text);
}

function withoutComment(text: string): string {
  return /^["']/.test(text) ? text : text.replace(/(?:^|[ \t])#.*$/, "");
}

function unquoted(text: string): string {
  if (text.length > 1 && text.startsWith("'") && text.endsWith("'"))
    return text.slice(1, -1).replaceAll("''", "'");
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) {
    return text.slice(1, -1).replace(/\\(["\\])/g, "$1");
  }
  return text;
}
