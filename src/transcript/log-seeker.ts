import type { FileIo } from "../disk/file-io.ts";
import { endOfLastLine, linesForward, type RawLine, readChunk } from "../disk/line-scan.ts";
import type { StoredEntry } from "../message/types.ts";
import { isUuid } from "../util/uuid.ts";
import { decodeRaw } from "./log-state.ts";

const SEARCH_BYTES_FIRST = 8 * 1024;
const SEARCH_BYTES = 256 * 1024;
const PROBE_BYTES = 8 * 1024;
const GUESSES = 4;

/** Finds lines of an open log without reading the log from its start. */
export class LogSeeker {
  readonly #io: FileIo;
  readonly #file: number;
  /** The end of the last complete append. */
  readonly #end: number;
  readonly #entries: number;
  /** The average length of a line. */
  readonly #lineBytes: number;

  constructor(io: FileIo, file: number, end: number, entries: number) {
    this.#io = io;
    this.#file = file;
    this.#end = end;
    this.#entries = entries;
    this.#lineBytes = end / Math.max(1, entries);
  }

  /**
   * The `seq` of an entry, or `undefined`. Callers usually ask for a recent
   * entry, so the end of the log is searched first. Ids that Colloquy makes
   * ascend, so a binary search finds most others. Any other id, or one that is
   * out of order, takes a search of the whole log.
   */
  locate(entryId: string): number | undefined {
    const recent = Math.max(0, this.#end - SEARCH_BYTES_FIRST);
    const near = this.#search(entryId, recent, this.#end);
    if (near !== undefined || recent === 0) return near;
    if (isUuid(entryId)) {
      const { entry } = this.#lineAround(this.#seekFirst(({ id }) => id < entryId));
      if (entry?.id === entryId) return entry.seq;
    }
    for (let end = recent; end > 0; end -= SEARCH_BYTES) {
      const found = this.#search(entryId, Math.max(0, end - SEARCH_BYTES), end);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The last entry with this id whose line has the id between two positions. */
  #search(entryId: string, begin: number, end: number): number | undefined {
    const needle = Buffer.from(`"id":${JSON.stringify(entryId)}`);
    // The id may extend past the end.
    const length = Math.min(this.#end, end + needle.length) - begin;
    const chunk = readChunk(this.#io, this.#file, begin, length);
    for (let hit = chunk.lastIndexOf(needle); hit !== -1; ) {
      const { entry, start } = this.#lineAround(begin + hit);
      if (entry?.id === entryId) return entry.seq;
      // The id only occurs in the text of this line: continue with the line before it.
      const before = start - begin - 1;
      hit = before < 0 ? -1 : chunk.lastIndexOf(needle, before);
    }
    return undefined;
  }

  #lineAround(position: number): { entry: StoredEntry | undefined; start: number } {
    const start = endOfLastLine(this.#io, this.#file, position);
    for (const raw of linesForward(this.#io, this.#file, start, this.#end, PROBE_BYTES)) {
      const line = decodeRaw(raw);
      return { entry: line?.ok ? line.entry : undefined, start };
    }
    return { entry: undefined, start };
  }

  /**
   * The start of the first line with `seq` or more. Lines are in order of
   * `seq`, so interpolation guesses the position; if line lengths differ too
   * much for that, a binary search continues.
   */
  seek(seq: number): number {
    const isBefore = (entry: StoredEntry): boolean => entry.seq < seq;
    let [low, lowSeq] = [0, 1];
    let [high, highSeq] = [this.#end, this.#entries + 1];
    for (let guesses = 0; guesses < GUESSES && high - low > PROBE_BYTES; guesses++) {
      const share = Math.min(1, Math.max(0, (seq - lowSeq) / Math.max(1, highSeq - lowSeq)));
      // Slightly before the estimate, so that only a few lines remain to be read.
      const guess = Math.floor(low + (high - low) * share - PROBE_BYTES / 2);
      const probe = guess <= low ? undefined : this.#entryAfter(guess, high);
      if (probe === undefined) break;
      if (isBefore(probe.entry)) {
        [low, lowSeq] = [probe.raw.end, probe.entry.seq + 1];
        if ((seq - lowSeq) * this.#lineBytes < PROBE_BYTES) return this.#firstFrom(low, isBefore);
      } else {
        [high, highSeq] = [probe.raw.start, probe.entry.seq];
      }
    }
    return this.#seekFirst(isBefore, low, high);
  }

  /** The start of the first line for which `isBefore` is false, by binary search. */
  #seekFirst(isBefore: (entry: StoredEntry) => boolean, lowest = 0, highest: number = this.#end): number {
    let [low, high] = [lowest, highest];
    while (high - low > PROBE_BYTES) {
      const probe = this.#entryAfter(low + Math.floor((high - low) / 2), high);
      if (probe === undefined) high = low + Math.floor((high - low) / 2);
      else if (isBefore(probe.entry)) low = probe.raw.end;
      else high = Math.min(probe.raw.start, low + Math.floor((high - low) / 2));
    }
    return this.#firstFrom(low, isBefore);
  }

  #firstFrom(position: number, isBefore: (entry: StoredEntry) => boolean): number {
    for (const raw of linesForward(this.#io, this.#file, position, this.#end, 2 * PROBE_BYTES)) {
      const line = decodeRaw(raw);
      if (line?.ok && line.entry !== undefined && !isBefore(line.entry)) return raw.start;
    }
    return this.#end;
  }

  #entryAfter(position: number, end: number): { entry: StoredEntry; raw: RawLine } | undefined {
    let isWhole = false;
    for (const raw of linesForward(this.#io, this.#file, position, end, PROBE_BYTES)) {
      // The first one is the rest of the line that contains `position`.
      const line = isWhole ? decodeRaw(raw) : undefined;
      if (line?.ok && line.entry !== undefined) return { entry: line.entry, raw };
      isWhole = true;
    }
    return undefined;
  }
}
