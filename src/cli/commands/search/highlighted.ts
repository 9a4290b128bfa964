import { startOf } from "../../../util/text-width.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Surface } from "../../terminal/table.ts";
import { wrapHard } from "../../terminal/wrap.ts";

type Span = readonly [from: number, to: number];

const LINES_MAX = 3;

/** A snippet on a few lines of N columns, with the words of the query in colour. */
export function highlighted(
  out: Surface,
  snippet: string,
  highlights: readonly Span[],
  columns: number,
): string[] {
  const { text, spans } = cleaned(snippet, highlights);
  const lines = wrapHard(text, columns);
  let at = 0;
  return lines.slice(0, LINES_MAX).map((line, index) => {
    // A line ends at a space, which is not shown, or inside a long word.
    if (text[at] === " ") at++;
    const isCut = index === LINES_MAX - 1 && lines.length > LINES_MAX;
    const shown = isCut ? startOf(line, columns - 1).trimEnd() : line;
    const styled = styledPart(out, text, spans, [at, at + shown.length]);
    at += line.length;
    return isCut ? `${styled}…` : styled;
  });
}

/** Safe for a terminal, and with single spaces, so that places have to be counted again. */
function cleaned(snippet: string, highlights: readonly Span[]): { text: string; spans: Span[] } {
  let text = "";
  const spans: Span[] = [];
  const add = (part: string): void => {
    const safe = safeLine(part).replaceAll(/\s+/g, " ");
    text += text === "" || text.endsWith(" ") ? safe.trimStart() : safe;
  };
  let at = 0;
  for (const [from, to] of highlights) {
    add(snippet.slice(at, from));
    const start = text.length;
    add(snippet.slice(from, to));
    spans.push([start, text.length]);
    at = to;
  }
  add(snippet.slice(at));
  return { text: text.trimEnd(), spans };
}

function styledPart(out: Surface, text: string, spans: readonly Span[], [start, end]: Span): string {
  let styled = "";
  let at = start;
  for (const [from, to] of spans) {
    const [first, last] = [Math.max(from, at), Math.min(to, end)];
    if (first >= last) continue;
    styled += text.slice(at, first) + out.style("bold", out.style("yellow", text.slice(first, last)));
    at = last;
  }
  return styled + text.slice(at, end);
}
