/** Splits Markdown into chunks: at headings first, then by length, with some overlap. */
import { headLength, TOKEN_WEIGHT, weighText } from "../../context/text-weight.ts";

export interface MarkdownChunk {
  readonly text: string;
  /** The headings above it, from the outside in. */
  readonly headings: readonly string[];
  /** Counted from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

export interface ChunkSize {
  readonly tokens: number;
  /** How much of a chunk the next one of the same section repeats. */
  readonly overlapTokens: number;
}

const CHUNK_SIZE: ChunkSize = { tokens: 400, overlapTokens: 80 };

interface Line {
  readonly text: string;
  readonly number: number;
  readonly weight: number;
}

interface Section {
  readonly headings: readonly string[];
  readonly lines: Line[];
}

export function chunkMarkdown(text: string, size: ChunkSize = CHUNK_SIZE): MarkdownChunk[] {
  const weightMax = size.tokens * TOKEN_WEIGHT;
  return sections(linesOf(text, weightMax)).flatMap((section) =>
    pieces(section.lines, weightMax, size.overlapTokens * TOKEN_WEIGHT).map((lines) => ({
      text: lines.map((line) => line.text).join("\n"),
      headings: section.headings,
      firstLine: (lines[0] as Line).number,
      lastLine: (lines.at(-1) as Line).number,
    })),
  );
}

/** Lines, where one that is longer than a chunk is broken. */
function linesOf(text: string, weightMax: number): Line[] {
  return text.split(/\r\n|\n|\r/).flatMap((line, index) => {
    const parts: Line[] = [];
    let rest = line;
    let weight = lineWeight(rest);
    while (weight > weightMax) {
      const length = breakBefore(rest, headLength(rest, weightMax - TOKEN_WEIGHT));
      const head = rest.slice(0, length);
      parts.push({ text: head, number: index + 1, weight: lineWeight(head) });
      rest = rest.slice(length);
      weight = lineWeight(rest);
    }
    parts.push({ text: rest, number: index + 1, weight });
    return parts;
  });
}

function lineWeight(line: string): number {
  // The line break counts too, so that many short lines add up.
  return weighText(line) + TOKEN_WEIGHT / 2;
}

/** After the last space in the second half, and never inside a surrogate pair. */
function breakBefore(text: string, length: number): number {
  const space = text.lastIndexOf(" ", length);
  if (space > length / 2) return space + 1;
  const last = text.charCodeAt(length - 1);
  return Math.max(1, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

function sections(lines: readonly Line[]): Section[] {
  const found: Section[] = [];
  const path: string[] = [];
  let fence: string | undefined;
  for (const line of lines) {
    const mark = FENCE.exec(line.text)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    const [, hashes, title] = (fence === undefined && mark === undefined && HEADING.exec(line.text)) || [];
    if (hashes !== undefined) {
      path.length = Math.min(path.length, hashes.length - 1);
      path[hashes.length - 1] = title ?? "";
    }
    const last = found.at(-1);
    // A heading right below another one stays with it: alone it says nothing.
    if (last === undefined || (hashes !== undefined && last.lines.some(isBody))) {
      found.push({ headings: path.filter((name) => name), lines: [line] });
    } else if (hashes === undefined) last.lines.push(line);
    else found[found.length - 1] = { headings: path.filter((name) => name), lines: [...last.lines, line] };
  }
  return found;
}

function isBody({ text }: Line): boolean {
  return text.trim() !== "" && !HEADING.test(text);
}

/** The lines of a section in pieces, each of which begins with the last lines of the one before. */
function pieces(lines: readonly Line[], weightMax: number, overlap: number): Line[][] {
  const found: Line[][] = [];
  let current: Line[] = [];
  let weight = 0;
  for (const line of lines) {
    if (weight + line.weight > weightMax && current.length > 0) {
      found.push(current);
      current = lastLines(current, Math.min(overlap, weightMax - line.weight));
      weight = current.reduce((sum, each) => sum + each.weight, 0);
    }
    current.push(line);
    weight += line.weight;
  }
  if (current.length > 0) found.push(current);
  return found.map(trimmed).filter((piece) => piece.length > 0);
}

function lastLines(lines: readonly Line[], weightMax: number): Line[] {
  let weight = 0;
  let from = lines.length;
  while (from > 0 && weight + (lines[from - 1] as Line).weight <= weightMax) {
    weight += (lines[--from] as Line).weight;
  }
  return lines.slice(from);
}

/** Without blank lines at both ends. */
function trimmed(lines: readonly Line[]): Line[] {
  const first = lines.findIndex(({ text }) => text.trim() !== "");
  const last = lines.findLastIndex(({ text }) => text.trim() !== "");
  return first === -1 ? [] : lines.slice(first, last + 1);
}
