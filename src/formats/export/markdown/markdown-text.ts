/**
 * Untrusted text inside a Markdown document.
 *
 * Messages are quoted line by line, so that no heading in them is taken for ours
 * and nothing that they open stays open. Their code blocks are rewritten,
 * with fences longer than any in them. Raw HTML is shown instead of obeyed,
 * and pictures are links: nothing is loaded when the document is read.
 */
import { visibleLine, visibleText } from "../../../util/visible-text.ts";

/** A fence that nothing in `text` can close. */
function fence(text: string): string {
  const longest = text.match(/`{3,}/g)?.reduce((length, run) => Math.max(length, run.length), 0) ?? 0;
  return "`".repeat(Math.max(3, longest + 1));
}

/** A code block, at the margin. */
export function codeBlock(text: string, language = ""): string {
  const shown = visibleText(text);
  const edge = fence(shown);
  return `${edge}${language}\n${shown}${shown.endsWith("\n") ? "" : "\n"}${edge}\n`;
}

/** A message, quoted. */
export function quotedText(text: string): string {
  const lines = segments(visibleText(text)).flatMap(({ code, language, lines }) =>
    code ? codeBlock(lines.join("\n"), language).trimEnd().split("\n") : safeLines(lines),
  );
  return `${lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n")}\n`;
}

/** Words within a line of ours: a title, a name. */
export function inlineText(text: string): string {
  return visibleLine(text).replace(/[\\`*_{}[\]<>#|~!&]/g, "\\$&");
}

interface Segment {
  readonly code: boolean;
  readonly language: string;
  readonly lines: string[];
}

const OPENING = /^(?<indent>\s*)(?<edge>`{3,}(?=[^`]*$)|~{3,})(?<language>[^\n]*)$/;

/** Text and code blocks. One that is never closed reaches to the end. */
function segments(text: string): Segment[] {
  const found: Segment[] = [];
  let current: Segment = { code: false, language: "", lines: [] };
  let closing: RegExp | undefined;
  let indent = 0;
  const next = (segment: Segment): void => {
    if (current.code || current.lines.length > 0) found.push(current);
    current = segment;
  };
  for (const line of text.split("\n")) {
    if (closing?.test(line)) {
      closing = undefined;
      next({ code: false, language: "", lines: [] });
      continue;
    }
    const opening = closing === undefined ? OPENING.exec(line)?.groups : undefined;
    if (opening === undefined) {
      current.lines.push(closing === undefined ? line : withoutIndent(line, indent));
      continue;
    }
    const edge = opening.edge as string;
    indent = opening.indent?.length ?? 0;
    closing = new RegExp(`^\\s*${edge[0]}{${edge.length},}\\s*$`);
    next({ code: true, language: (opening.language ?? "").replace(/[^\w+#.-]/g, ""), lines: [] });
  }
  next({ code: false, language: "", lines: [] });
  return found;
}

function withoutIndent(line: string, indent: number): string {
  let start = 0;
  while (start < indent && (line[start] === " " || line[start] === "\t")) start++;
  return line.slice(start);
}

/**
 * Lines without HTML and images. Inline code stays unchanged, unless
 * an earlier line of the paragraph left a backtick open: then it is unclear
 * what is code.
 */
function safeLines(lines: readonly string[]): string[] {
  let sure = true;
  return lines.map((line) => {
    if (line.trim() === "") sure = true;
    const safe = safeLine(line, sure);
    sure = safe.balanced && sure;
    return safe.text;
  });
}

function safeLine(line: string, sure: boolean): { readonly text: string; readonly balanced: boolean } {
  let text = "";
  let balanced = true;
  for (let at = 0; at < line.length; ) {
    const piece = pieceAt(line, at, sure && balanced);
    text += piece.text;
    balanced &&= piece.balanced;
    at = piece.end;
  }
  return { text, balanced };
}

interface LinePiece {
  readonly text: string;
  readonly end: number;
  readonly balanced: boolean;
}

function pieceAt(line: string, at: number, sure: boolean): LinePiece {
  if (line[at] === "`") return ticksAt(line, at, sure);
  const next = line[at + 1];
  if (line[at] === "\\" && next !== undefined) {
    return { text: next === "<" ? "&lt;" : `\\${next}`, end: at + 2, balanced: true };
  }
  return { text: safeCharacter(line, at), end: at + 1, balanced: true };
}

/** Code, or backticks that are not closed in this line. */
function ticksAt(line: string, at: number, sure: boolean): LinePiece {
  const run = runAt(line, at);
  const end = sure ? closingRun(line, at + run, run) : undefined;
  // A cell of a table ends at a bar, whatever surrounds it.
  if (end !== undefined && !line.slice(at, end).includes("|")) {
    return { text: line.slice(at, end), end, balanced: true };
  }
  const text = run > 2 ? "\\`".repeat(run) : line.slice(at, at + run);
  return { text, end: at + run, balanced: false };
}

function safeCharacter(line: string, at: number): string {
  const character = line[at] as string;
  if (character === "<") return "&lt;";
  if (character === "!" && line[at + 1] === "[") return "\\!";
  if (character === "~" && line.startsWith("~~~", at)) return "\\~";
  return character;
}

function runAt(line: string, start: number): number {
  let end = start;
  while (line[end] === "`") end++;
  return end - start;
}

/** After the next run of the same length. */
function closingRun(line: string, from: number, length: number): number | undefined {
  for (let at = line.indexOf("`", from); at !== -1; ) {
    const run = runAt(line, at);
    if (run === length) return at + run;
    at = line.indexOf("`", at + run);
  }
  return undefined;
}
