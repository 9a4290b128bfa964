/** Where and how a text is cut, and what the channels need. */

import { invalid } from "../../errors.ts";
import { checkObject, checkString } from "../../util/checked-arguments.ts";

/** Sizes are in UTF-16 units, the `length` of a string: no platform counts more. */
export interface ChunkSettings {
  /** A chunk is at least this long, except the last one. Default 50. */
  readonly min?: number | undefined;
  /** A chunk is at most this long, with the lines that the chunker adds. Default 500. */
  readonly max?: number | undefined;
  /** End a chunk with the first paragraph that reaches `min`, instead of filling it up to `max`. Default `true`. */
  readonly preferParagraphs?: boolean | undefined;
  /** Where a chunk may end: `"\n\n"` a paragraph, `"\n"` a line, anything else a sentence. */
  readonly delimiters?: readonly string[] | undefined;
}

/** The settings of a channel as they are in the config. */
interface ConfiguredChunks {
  readonly min_chunk_size?: number | undefined;
  readonly max_chunk_size?: number | undefined;
  readonly prefer_paragraphs?: boolean | undefined;
  readonly delimiters?: readonly string[] | undefined;
}

/** The section `streaming` of the config: `default`, and channels by name. */
export type StreamingConfig = Readonly<Record<string, ConfiguredChunks | undefined>>;

/** Checked, and without gaps. */
export interface Cuts {
  readonly min: number;
  readonly max: number;
  readonly atParagraphs: boolean;
  readonly atLines: boolean;
  readonly sentenceEnds: readonly string[];
}

const MIN_DEFAULT = 50;
const MAX_DEFAULT = 500;
const PARAGRAPH = "\n\n";
const LINE = "\n";
const DELIMITERS_DEFAULT = [PARAGRAPH, LINE, ". ", "? ", "! ", "。", "！", "？"];

/** The length of a message that reads well on a channel, or that its platform allows. */
const CHANNEL_MAX: ReadonlyMap<string, number> = new Map([
  ["telegram", 4096],
  ["whatsapp", 1000],
  ["discord", 2000],
]);

/** Platforms that refuse a longer message. */
const REFUSES_LONGER = ["telegram", "discord"];

/** The settings of a channel: its own in the config, then those of the platform, then `default` of the config. */
export function chunkSettings(channel: string, streaming: StreamingConfig = {}): ChunkSettings {
  checkString(channel, "channel");
  checkObject(streaming, "streaming");
  const own = Object.hasOwn(streaming, channel) ? streaming[channel] : undefined;
  const common = Object.hasOwn(streaming, "default") ? streaming.default : undefined;
  const limit = CHANNEL_MAX.get(channel);
  const max = own?.max_chunk_size ?? limit ?? common?.max_chunk_size ?? MAX_DEFAULT;
  return {
    min: own?.min_chunk_size ?? common?.min_chunk_size,
    max: limit !== undefined && REFUSES_LONGER.includes(channel) ? Math.min(max, limit) : max,
    preferParagraphs: own?.prefer_paragraphs ?? common?.prefer_paragraphs,
    delimiters: own?.delimiters ?? common?.delimiters,
  };
}

export function cutsOf(settings: ChunkSettings): Cuts {
  const { min = MIN_DEFAULT, max = MAX_DEFAULT, preferParagraphs = true } = settings;
  const delimiters = settings.delimiters ?? DELIMITERS_DEFAULT;
  checkSize("min", min);
  checkSize("max", max);
  if (delimiters.includes("")) throw invalid("A delimiter of a chunker must not be empty", "delimiters");
  return {
    // A channel with a small limit need not repeat the minimum.
    min: Math.min(min, max),
    max,
    atParagraphs: preferParagraphs && delimiters.includes(PARAGRAPH),
    atLines: delimiters.includes(LINE),
    sentenceEnds: delimiters.filter((text) => text !== PARAGRAPH && text !== LINE),
  };
}

function checkSize(name: string, size: number): void {
  if (Number.isSafeInteger(size) && size > 0) return;
  throw invalid(`${name} of a chunker must be a positive integer, not ${size}`, name);
}
