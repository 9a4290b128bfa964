/** Emphasis, code and links inside a line of Markdown. */
import type { Style } from "./paint.ts";

export interface Span {
  readonly text: string;
  readonly styles: readonly Style[];
}

interface Taken {
  readonly spans: readonly Span[];
  /** What may become emphasis, code or a link when more text arrives. */
  readonly rest: string;
}

/** A mark that is not closed after this much text is a character like any other. */
const OPEN_MAX = 300;

const MARK = /[\\`*_~[!]/g;
const ESCAPED = /^\\([!-/:-@[-`{-~])/;
const CODE = /^(`+)(?!`)(.*?[^`])\1(?!`)/;
const BOLD = /^(\*\*|__)(?=\S)(.+?)(?<=\S)\1(?!\1)/;
const ITALIC = /^([*_])(?=[^\s*_])(.*?[^\s*_\\])\1(?![\w*])/;
const STRUCK = /^(~~)(?=\S)(.+?)(?<=\S)~~/;
const LINK = /^!?\[([^\][]*)\]\(([^()\s]*(?:\([^()\s]*\))?)(?: "[^"]*")?\)/;

/**
 * The part of a line whose meaning is known, or all of it at the end of the line.
 * `before` is the character before it.
 */
export function takeInline(
  text: string,
  isLineEnd: boolean,
  styles: readonly Style[] = [],
  before = "",
): Taken {
  const spans: Span[] = [];
  let from = 0;
  let at = 0;
  const flush = (to: number): void => {
    if (to > from) spans.push({ text: text.slice(from, to), styles });
  };
  for (;;) {
    at = nextMark(text, at);
    if (at === -1) break;
    const found = spansAt(text, at, styles, before);
    const isKnown = isLineEnd || found?.end !== text.length;
    if (found !== undefined && isKnown) {
      flush(at);
      spans.push(...found.spans);
      at = from = found.end;
    } else if (
      !isLineEnd &&
      text.length - at < OPEN_MAX &&
      (found !== undefined || mayOpen(text, at, before))
    ) {
      flush(at);
      return { spans, rest: text.slice(at) };
    } else at += runLength(text, at);
  }
  flush(text.length);
  return { spans, rest: "" };
}

function nextMark(text: string, from: number): number {
  MARK.lastIndex = from;
  return MARK.exec(text)?.index ?? -1;
}

function spansAt(
  text: string,
  at: number,
  styles: readonly Style[],
  before: string,
): { readonly spans: readonly Span[]; readonly end: number } | undefined {
  // Never to the end of a text that may be very long.
  const view = text.slice(at, at + OPEN_MAX);
  const match = (pattern: RegExp): RegExpExecArray | null => pattern.exec(view);
  const within = (style: Style, found: RegExpExecArray | null) =>
    found === null
      ? undefined
      : {
          spans: takeInline(found[2] ?? "", true, [...styles, style]).spans,
          end: at + found[0].length,
        };
  const escaped = match(ESCAPED);
  if (escaped !== null) return { spans: [{ text: escaped[1] ?? "", styles }], end: at + 2 };
  const code = match(CODE);
  if (code !== null) {
    return { spans: [{ text: code[2] ?? "", styles: [...styles, "cyan"] }], end: at + code[0].length };
  }
  const link = match(LINK);
  if (link !== null) return { spans: linkSpans(link, styles), end: at + link[0].length };
  if (!isWordInside(text, at, before)) {
    return within("bold", match(BOLD)) ?? within("italic", match(ITALIC)) ?? within("dim", match(STRUCK));
  }
  return undefined;
}

function linkSpans([, label = "", url = ""]: RegExpExecArray, styles: readonly Style[]): Span[] {
  const shown: Span = { text: label || url, styles: [...styles, "underline"] };
  return label === "" || label === url ? [shown] : [shown, { text: ` (${url})`, styles: [...styles, "dim"] }];
}

/** Whether a mark could begin something that has not ended yet. */
function mayOpen(text: string, at: number, before: string): boolean {
  const mark = text.charAt(at);
  const next = text.charAt(at + runLength(text, at));
  if (next === "") return true;
  if (mark === "\\") return false;
  if (mark === "!") return next === "[";
  if (mark === "[") return /^\[[^\][]*(?:$|\]$|\]\()/.test(text.slice(at));
  if (mark === "`") return true;
  if (mark === "~" && runLength(text, at) < 2) return false;
  return next !== " " && !isWordInside(text, at, before);
}

/** `snake_case` has no emphasis. */
function isWordInside(text: string, at: number, before: string): boolean {
  return text.charAt(at) === "_" && /[\p{L}\p{N}_]/u.test(at === 0 ? before : text.charAt(at - 1));
}

function runLength(text: string, at: number): number {
  const mark = text.charAt(at);
  if (mark === "[" || mark === "!" || mark === "\\") return 1;
  let end = at + 1;
  while (text.charAt(end) === mark) end++;
  return end - at;
}
