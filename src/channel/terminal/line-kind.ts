/** What kind of line of Markdown begins, as soon as its first characters show it. */

export type LineKind =
  | { readonly kind: "fence"; readonly marker: string }
  | { readonly kind: "heading"; readonly start: number }
  | { readonly kind: "rule" }
  | { readonly kind: "table" }
  | { readonly kind: "item"; readonly start: number; readonly indent: string; readonly bullet: string }
  | { readonly kind: "quote"; readonly start: number; readonly depth: number }
  | { readonly kind: "text" };

const HEADING = /^#{1,6} +/;
const FENCE = /^ *(`{3,}(?=[^`]*$)|~{3,})/;
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)]) +(?=\S)/;
const QUOTE = /^ *> ?(?:> ?)*/;
/** The beginnings of all of these: more text decides. */
const UNDECIDED = /^ *(?:#{0,6} *|`{1,2}|~{1,2}|[-+] *|\d{1,9}[.)]? *|> ?(?:> ?)*|([-*_])(?: *\1)* *)?$/;

/** `undefined` if more text is needed. `line` is the line so far, without its line break. */
export function lineKind(line: string, isWhole: boolean): LineKind | undefined {
  if (!isWhole && (UNDECIDED.test(line) || FENCE.test(line) || /^ *\|/.test(line))) return undefined;
  const fence = FENCE.exec(line);
  if (fence !== null) return { kind: "fence", marker: fence[1] ?? "" };
  const heading = HEADING.exec(line);
  if (heading !== null) return { kind: "heading", start: heading[0].length };
  if (RULE.test(line)) return { kind: "rule" };
  if (/^ *\|/.test(line)) return { kind: "table" };
  const item = ITEM.exec(line);
  if (item !== null) {
    const [whole, indent = "", bullet = ""] = item;
    return { kind: "item", start: whole.length, indent, bullet };
  }
  const quote = QUOTE.exec(line);
  if (quote !== null) {
    return { kind: "quote", start: quote[0].length, depth: quote[0].replaceAll(/[^>]/g, "").length };
  }
  return { kind: "text" };
}
