/**
 * Pages of a log, read where they lie: the cost of a page does not depend on
 * the length of the log.
 *
 * A reader takes no lock and repairs nothing. It looks at nothing behind the
 * last complete append, which only `advance` can tell.
 */

import type { FileIo } from "../disk/file-io.ts";
import { endOfLastLine, linesBackward, linesForward, type RawLine, readChunk } from "../disk/line-scan.ts";
import type { StoredEntry } from "../message/types.ts";
import type { SeqRange } from "../tree/path.ts";
import { OFF_PATH } from "../tree/tree.ts";
import { isUuid } from "../util/uuid.ts";
import { advance, type BadLine, decodeRaw, EMPTY_LOG } from "./log-state.ts";

export interface LogPageQuery {
  readonly direction: "forward" | "backward";
  /** Start after this entry (forward) or before it (backward); `null` is the start or the end of the log. */
  readonly from: number | null;
  readonly limit: number;
  readonly bytesMax: number;
  /** Only entries of this kind. */
  readonly kind?: string | undefined;
  /** Only entries of these ranges, which are a path: ascending. The whole log when there are none given. */
  readonly ranges?: readonly SeqRange[] | undefined;
}

export interface LogPage {
  /** In ascending order. */
  readonly entries: StoredEntry[];
  readonly more: boolean;
}

interface Found {
  readonly entry: StoredEntry;
  readonly branch: number;
  readonly bytes: number;
}

/** Whether something between an entry and the last one on a path before it cannot be read. */
interface Gap {
  open: boolean;
}

const WHOLE_LOG: readonly SeqRange[] = [[0, Number.MAX_SAFE_INTEGER]];

const SEARCH_BYTES_FIRST = 8 * 1024;
const SEARCH_BYTES = 256 * 1024;
const PROBE_BYTES = 8 * 1024;
const GUESSES = 4;
const FLAG_PARENT_DAMAGED = "parent-damaged";

export class LogReader {
  readonly #io: FileIo;
  readonly #file: number;
  readonly #end: number;
  /** What a line takes on average. */
  readonly #lineBytes: number;
  readonly #entries: number;
  readonly #bad: (line: BadLine) => void;

  /** `known` says what a file held up to its last complete append; it spares looking for that. */
  constructor(
    io: FileIo,
    path: string,
    bad: (line: BadLine) => void = () => {},
    known?: { readonly inode: bigint; readonly bytes: number; readonly entries: number },
  ) {
    this.#io = io;
    this.#bad = bad;
    this.#file = io.open(path, "read");
    try {
      const { inode, size } = io.statOpen(this.#file);
      const isKnown = known !== undefined && known.inode === inode && known.bytes <= size;
      const { bytes, entries } = isKnown ? known : advance(io, this.#file, EMPTY_LOG, size);
      this.#end = bytes;
      this.#lineBytes = bytes / Math.max(1, entries);
      this.#entries = entries;
    } catch (error) {
      io.close(this.#file);
      throw error;
    }
  }

  close(): void {
    this.#io.close(this.#file);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  page(query: LogPageQuery): LogPage {
    return query.direction === "forward" ? this.#forward(query) : this.#backward(query);
  }

  /**
   * The `seq` of an entry, or `undefined`. What is asked for is usually
   * recent, so the end comes first. Ids that we make grow with time, so most
   * others are found by halving; one that is not where it should be, or is
   * somebody else's, is looked for everywhere.
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

  /** The last entry of that id whose line has its id between two places. */
  #search(entryId: string, begin: number, end: number): number | undefined {
    const needle = Buffer.from(`"id":${JSON.stringify(entryId)}`);
    // An id may lie across the end.
    const length = Math.min(this.#end, end + needle.length) - begin;
    const chunk = readChunk(this.#io, this.#file, begin, length);
    for (let hit = chunk.lastIndexOf(needle); hit !== -1; ) {
      const { entry, start } = this.#lineAround(begin + hit);
      if (entry?.id === entryId) return entry.seq;
      // Only a text inside this line: on with the line before it.
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

  #forward(query: LogPageQuery): LogPage {
    const page = new PageBuilder(query);
    const gap: Gap = { open: false };
    let previous: Found | undefined;
    for (const step of this.#walk(query, gap)) {
      const found = gap.open ? relink(step, previous, query.ranges !== undefined) : step;
      if (found.branch !== OFF_PATH) {
        previous = found;
        gap.open = false;
      }
      if (query.from !== null && found.entry.seq <= query.from) continue;
      if (!page.add(found)) break;
    }
    return page.result();
  }

  #backward(query: LogPageQuery): LogPage {
    const page = new PageBuilder(query);
    const gap: Gap = { open: false };
    // One entry on a path late, because only the one before it tells whether the parent can be read.
    let waiting: Found | undefined;
    // What is about the tree stands between the two.
    let loose: Found[] = [];
    const flush = (older: Found | undefined): boolean => {
      if (waiting !== undefined) {
        const linked = gap.open ? relink(waiting, older, query.ranges !== undefined) : waiting;
        if (!page.add(linked)) return false;
      }
      return loose.length === 0 || loose.every((found) => page.add(found));
    };
    for (const found of this.#walk(query, gap)) {
      if (found.branch === OFF_PATH) loose.push(found);
      else {
        if (!flush(found)) return page.result();
        waiting = found;
        if (loose.length > 0) loose = [];
        gap.open = false;
      }
    }
    if (query.ranges !== undefined) gap.open = waiting?.entry.seq !== query.ranges[0]?.[0];
    flush(undefined);
    return page.result();
  }

  /** Entries in the direction of reading, and the one at `from` before them when that is forward. */
  *#walk(query: LogPageQuery, gap: Gap): Generator<Found> {
    const { from, ranges = WHOLE_LOG } = query;
    const forward = query.direction === "forward";
    let before: number | undefined;
    let edge: number | undefined;
    for (const range of forward ? ranges : ranges.toReversed()) {
      const [near, far] = forward ? range : [range[1], range[0]];
      if (from !== null && (forward ? far < from : far >= from)) continue;
      let isFirst = ranges !== WHOLE_LOG;
      for (const raw of forward
        ? this.#linesFrom(range, from)
        : this.#linesBefore(range, from, query.limit)) {
        const found = this.#read(raw);
        if (found === "bad") gap.open = true;
        if (found === undefined || found === "bad") continue;
        const { seq } = found.entry;
        if (forward ? seq > far : seq < far) break;
        // Lines between two ranges are those of other branches; what counts is whether both edges can be read.
        if (isFirst)
          gap.open =
            before === undefined ? forward && from === null && seq !== near : before !== edge || seq !== near;
        isFirst = false;
        before = seq;
        yield found;
      }
      edge = far;
    }
  }

  #linesFrom([first]: SeqRange, from: number | null): Generator<RawLine> {
    // From the entry before the page on: its successor hangs below it when a line between them is damaged.
    const start = Math.max(first, from ?? 0);
    return linesForward(this.#io, this.#file, start === 0 ? 0 : this.#seek(start), this.#end);
  }

  #linesBefore([first, last]: SeqRange, from: number | null, limit: number): Generator<RawLine> {
    const stop = Math.min(last + 1, from ?? Number.MAX_SAFE_INTEGER);
    const end = stop >= Number.MAX_SAFE_INTEGER ? this.#end : this.#seek(stop);
    const lines = Math.min(limit, last - first + 1) + 2;
    return linesBackward(this.#io, this.#file, end, Math.ceil(lines * this.#lineBytes * 1.05));
  }

  #read(raw: RawLine): Found | "bad" | undefined {
    const line = decodeRaw(raw);
    if (line === undefined) return undefined;
    if (line.ok) {
      if (line.entry === undefined) return undefined;
      return { entry: line.entry, branch: line.branch, bytes: sizeOf(line.entry, raw) };
    }
    this.#bad({ start: raw.start, end: raw.end, reason: line.reason });
    return "bad";
  }

  /**
   * Where the first line with `seq` or more begins: lines are in the order of
   * `seq`, so its place can be guessed from the share that it has. Where lines
   * are of very different lengths guessing ends, and halving goes on.
   */
  #seek(seq: number): number {
    const isBefore = (entry: StoredEntry): boolean => entry.seq < seq;
    let [low, lowSeq] = [0, 1];
    let [high, highSeq] = [this.#end, this.#entries + 1];
    for (let guesses = 0; guesses < GUESSES && high - low > PROBE_BYTES; guesses++) {
      const share = Math.min(1, Math.max(0, (seq - lowSeq) / Math.max(1, highSeq - lowSeq)));
      // A little before it: from there it is only a few lines.
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

  /** Where the first line begins that is not before what is looked for, by halving. */
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
      // The first is what is left of the line that `position` lies in.
      const line = isWhole ? decodeRaw(raw) : undefined;
      if (line?.ok && line.entry !== undefined) return { entry: line.entry, raw };
      isWhole = true;
    }
    return undefined;
  }
}

function sizeOf({ blobs }: StoredEntry, { start, end }: RawLine): number {
  return blobs === undefined ? end - start : blobs.reduce((sum, { size }) => sum + size, end - start);
}

/** The line of the parent cannot be read, so the entry hangs below the last one that can, if there is one. */
function relink(found: Found, older: Found | undefined, isPath: boolean): Found {
  const { entry, branch } = found;
  // In the whole log the parent of an entry that goes on elsewhere is not the one before it.
  if (!isPath && (branch === OFF_PATH || (older !== undefined && older.branch !== branch))) return found;
  const parentId = older?.entry.id ?? null;
  if (entry.parentId === parentId) return found;
  return { ...found, entry: { ...entry, parentId, flags: [...(entry.flags ?? []), FLAG_PARENT_DAMAGED] } };
}

/** Collects entries in the direction of reading until the page is full. */
class PageBuilder {
  readonly #query: LogPageQuery;
  readonly #entries: StoredEntry[] = [];
  #bytes = 0;
  #more = false;

  constructor(query: LogPageQuery) {
    this.#query = query;
  }

  /** False when the page cannot take the entry. */
  add({ entry, bytes }: Found): boolean {
    const { kind, limit, bytesMax } = this.#query;
    if (kind !== undefined && entry.kind !== kind) return true;
    if (this.#entries.length >= limit || (this.#entries.length > 0 && this.#bytes + bytes > bytesMax)) {
      this.#more = true;
      return false;
    }
    this.#entries.push(entry);
    this.#bytes += bytes;
    return true;
  }

  result(): LogPage {
    if (this.#query.direction === "backward") this.#entries.reverse();
    return { entries: this.#entries, more: this.#more };
  }
}
