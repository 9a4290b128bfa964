/** `colloquy/chunker`: a text as messages of a limited length, cut where a reader would cut it. */
import { checkObject, checkObjects, checkString, checkStrings } from "../../util/checked-arguments.ts";
import { type Chunk, Chunker } from "./chunker.ts";
import type { ChunkSettings } from "./settings.ts";

export { type Chunk, Chunker } from "./chunker.ts";
export { type ChunkSettings, chunkSettings, type StreamingConfig } from "./settings.ts";

/** A whole text in chunks: those that a `Chunker` returns for it. */
export function chunk(text: string, settings: ChunkSettings = {}): Chunk[] {
  checkString(text, "text");
  checkObject(settings, "settings");
  const chunker = new Chunker(settings);
  return [...chunker.push(text), ...chunker.end()];
}

/** The text that was cut, without the lines that were added. */
export function joinChunks(chunks: readonly Chunk[]): string {
  checkObjects(chunks, "chunks");
  for (const { text, prefix, suffix } of chunks) checkStrings([text, prefix, suffix], "chunks");
  return chunks
    .map(({ text, prefix, suffix }) => text.slice(prefix.length, text.length - suffix.length))
    .join("");
}
