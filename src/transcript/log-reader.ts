/**
 * Reads pages of a log. The cost of a page does not depend on the length of
 * the log.
 *
 * A reader takes no lock and repairs nothing. It ignores everything after the
 * last complete append, which only `advance` can find.
 */

import type { FileIo } from "../disk/file-io.ts";
import { linesBackward, linesForward, type RawLine } from "../disk/line-scan.ts";
import type { StoredEntry } from "../message/types.ts";
import type { SeqRange } from "../tree/path.ts";
import { OFF_PATH } from "../tree/tree.ts";
import { LogSeeker } from "./log-seeker.ts";
import { advance, type BadLine, decodeRaw, EMPTY_LOG } from "./log-state.ts";

export interface LogPageQuery {
  readonly direction: "forward" | "backward";
  /** Start after this entry (forward) or before it (backward); `null` is the start or the end of the log. */
  readonly from: number | null;
  readonly limit: number;
  readonly bytesMax: number;
  /** Only entries of this kind. */
  readonly kind?: string | undefined;
  /** Only entries in these ascending ranges, which are a path. Default: the whole log. */
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

/** Whether a line between an entry and the previous one on its path is unreadable, or was and is removed. */
interface Gap {
  open: boolean;
}

const WHOLE_LOG: readonly SeqRange[] = [[0, Number.MAX_SAFE_INTEGER]];

const FLAG_PARENT_DAMAGED = "parent-damaged";

export class LogReader {
  readonly #io: FileIo;
  readonly #file: number;
  readonly #end: number;
  readonly #seeker: LogSeeker;
  /** The average length of a line. */
  readonly #lineBytes: number;
  readonly #bad: (line: BadLine) => void;

  /** `known` is the end of the last complete append of a file, if the caller has read that far. */
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
      this.#seeker = new LogSeeker(io, this.#file, bytes, entries);
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

  /** The `seq` of an entry, or `undefined`. */
  locate(entryId: string): number | undefined {
    return this.#seeker.locate(entryId);
  }

  page(query: LogPageQuery): LogPage {
    return query.direction === "forward" ? this.#forward(query) : this.#backward(query);
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
    // Each entry waits for the one before it, which shows whether its parent is readable.
    let waiting: Found | undefined;
    // Entries off every path that were read since.
    let loose: Found[] = [];
    const flush = (previous: Found | undefined): boolean => {
      if (waiting !== undefined) {
        const linked = gap.open ? relink(waiting, previous, query.ranges !== undefined) : waiting;
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

  /** Entries in reading direction; if that is forward, starting with the one at `from`. */
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
        if (found === "gap") gap.open = true;
        if (found === undefined || found === "gap") continue;
        const { seq } = found.entry;
        if (forward ? seq > far : seq < far) break;
        // The lines between two ranges belong to other branches, so only unreadable edges open a gap.
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
    // Starts with the entry before the page, the parent of the next one if a line between them is damaged.
    const start = Math.max(first, from ?? 0);
    return linesForward(this.#io, this.#file, start === 0 ? 0 : this.#seeker.seek(start), this.#end);
  }

  #linesBefore([first, last]: SeqRange, from: number | null, limit: number): Generator<RawLine> {
    const stop = Math.min(last + 1, from ?? Number.MAX_SAFE_INTEGER);
    const end = stop >= Number.MAX_SAFE_INTEGER ? this.#end : this.#seeker.seek(stop);
    const lines = Math.min(limit, last - first + 1) + 2;
    return linesBackward(this.#io, this.#file, end, Math.ceil(lines * this.#lineBytes * 1.05));
  }

  #read(raw: RawLine): Found | "gap" | undefined {
    const line = decodeRaw(raw);
    if (line === undefined) return undefined;
    if (line.ok) {
      if (line.entry === undefined) return line.gap === undefined ? undefined : "gap";
      return { entry: line.entry, branch: line.branch, bytes: sizeOf(line.entry, raw) };
    }
    this.#bad({ start: raw.start, end: raw.end, reason: line.reason });
    return "gap";
  }
}

function sizeOf({ blobs }: StoredEntry, { start, end }: RawLine): number {
  return blobs === undefined ? end - start : blobs.reduce((sum, { size }) => sum + size, end - start);
}

/** The parent's line is unreadable, so the last readable entry before it becomes the parent. */
function relink(found: Found, previous: Found | undefined, isPath: boolean): Found {
  const { entry, branch } = found;
  // In the whole log, the previous entry may be on another branch and is not the parent then.
  if (!isPath && (branch === OFF_PATH || (previous !== undefined && previous.branch !== branch)))
    return found;
  const parentId = previous?.entry.id ?? null;
  if (entry.parentId === parentId) return found;
  return { ...found, entry: { ...entry, parentId, flags: [...(entry.flags ?? []), FLAG_PARENT_DAMAGED] } };
}

/** Collects entries in reading direction until the page is full. */
class PageBuilder {
  readonly #query: LogPageQuery;
  readonly #entries: StoredEntry[] = [];
  #bytes = 0;
  #more = false;

  constructor(query: LogPageQuery) {
    this.#query = query;
  }

  /** False if the page is full. */
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
