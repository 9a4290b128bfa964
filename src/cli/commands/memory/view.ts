import type { Chunk } from "../../../memory/index.ts";
import { safeLine, safeText } from "../../../util/visible-text.ts";
import type { Output } from "../../output.ts";

const TEXT_LINES = 6;

/** A chunk as a heading with its place and its id, and the first lines of its text. */
export function chunkLines(out: Output, chunk: Chunk, extra = ""): string[] {
  const { source, kind, lines, id, text } = chunk;
  const place = kind === "file" ? `${source}:${lines.first}-${lines.last}` : source;
  const all = safeText(text).split("\n");
  const shown = all.slice(0, TEXT_LINES).map((line) => `  ${line}`);
  return [
    `${out.style("bold", safeLine(place))}  ${out.style("dim", `${id}${extra}`)}`,
    ...shown,
    ...(all.length > TEXT_LINES ? ["  …"] : []),
    "",
  ];
}
