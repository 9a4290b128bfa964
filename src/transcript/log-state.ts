import type { FileIo } from "../disk/file-io.ts";
import { linesForward, type RawLine } from "../disk/line-scan.ts";
import { ColloquyError } from "../errors.ts";
import type { StoredEntry } from "../message/types.ts";
import { fold, headOf, isMark, MAIN, OFF_PATH, PLAIN, type Tree } from "../tree/tree.ts";
import type { Json } from "../util/json.ts";
import { inOneGo, type Steps } from "../util/steps.ts";
import { type DecodedLine, decodeLine, type Header } from "./lines.ts";

/** The state of a log after reading it up to `bytes`. */
export interface LogState {
  /** The end of the last complete line and atomic append. */
  readonly bytes: number;
  readonly header: Header | undefined;
  readonly lastSeq: number;
  /** The last entry that is on a path. */
  readonly last: string | null;
  readonly tree: Tree;
  /** The last entry of the checked-out branch. */
  readonly head: string | null;
  readonly entries: number;
  readonly messages: number;
  readonly lastMessageAt: string | null;
  /** The latest time of the entries that were read, of any kind. Metadata does not count it. */
  readonly lastAt: string | null;
  /** The number of references to blobs. */
  readonly blobs: number;
}

/** A line that is unreadable. It stays in the file. */
export interface BadLine {
  readonly start: number;
  readonly end: number;
  readonly reason: string;
  /** Its number, from 1 for the line where reading began. */
  readonly line?: number;
}

export const EMPTY_LOG: LogState = {
  bytes: 0,
  header: undefined,
  lastSeq: 0,
  last: null,
  tree: PLAIN,
  head: null,
  entries: 0,
  messages: 0,
  lastMessageAt: null,
  lastAt: null,
  blobs: 0,
};

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const CARRIAGE_RETURN = 0x0d;

/** `undefined` for a blank line. */
export function decodeRaw(raw: RawLine): DecodedLine | undefined {
  const bytes = bareLine(raw);
  if (bytes === undefined) return { ok: false, reason: "longer than the limit for a line" };
  return bytes.length === 0 ? undefined : decodeLine(bytes);
}

/** The line without a byte order mark or carriage return. `undefined` if it was not loaded. */
export function bareLine({ start, bytes }: RawLine): Buffer | undefined {
  if (bytes === undefined) return undefined;
  const from = start === 0 && bytes.subarray(0, 3).equals(BOM) ? 3 : 0;
  const to = bytes[bytes.length - 1] === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  return from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to);
}

export interface AdvanceListener {
  entry?(entry: StoredEntry, raw: RawLine, branch: number): void;
  bad?(line: BadLine): void;
  /** Lines that a repair has removed. */
  gap?(): void;
}

/** An append of several lines that is not read completely yet. */
interface OpenBatch {
  /** The state before its first line. */
  readonly whole: LogState;
  readonly operationId: string | undefined;
  readonly count: number;
  /** The number of lines so far, including damaged ones. */
  lines: number;
  readonly entries: [StoredEntry, RawLine, number][];
}

/**
 * Continue from `state` to the last complete append before `size`.
 *
 * The tail after it is an unterminated line, an incomplete append, or what a
 * power cut made of the last writes. It is pending for a reader and torn for a
 * writer. `syncedBytes` is how much of the log was synced at some time, 0 if
 * unknown: in that range a bad line is damage, and the lines after it count.
 */
export function advance(
  io: FileIo,
  file: number,
  state: LogState,
  size: number,
  listener: AdvanceListener = {},
  syncedBytes: number = state.bytes,
): LogState {
  return inOneGo(advanceInSteps(io, file, state, size, listener, syncedBytes));
}

const STEP_BYTES = 256 * 1024;

/** `advance` for a caller that pauses. */
export function* advanceInSteps(
  io: FileIo,
  file: number,
  state: LogState,
  size: number,
  listener: AdvanceListener,
  syncedBytes: number,
): Steps<LogState> {
  let current = state;
  let batch: OpenBatch | undefined;
  const endBatch = (): void => {
    for (const entry of batch?.entries ?? []) listener.entry?.(...entry);
    batch = undefined;
  };
  let number = 0;
  let stepEnd = state.bytes + STEP_BYTES;
  for (const raw of linesForward(io, file, state.bytes, size)) {
    if (raw.start > stepEnd) {
      yield;
      stepEnd = raw.start + STEP_BYTES;
    }
    const line = decodeRaw(raw);
    number++;
    if (line === undefined) {
      current = { ...current, bytes: raw.end };
    } else if (!line.ok) {
      if (line.newer)
        throw new ColloquyError("NOT_SUPPORTED", `The transcript is of a newer version: ${line.reason}`);
      if (isUnwritten(raw, syncedBytes)) break;
      current = { ...current, bytes: raw.end, lastSeq: current.lastSeq + 1 };
      listener.bad?.({ start: raw.start, end: raw.end, reason: line.reason, line: number });
      if (batch !== undefined && ++batch.lines === batch.count) endBatch();
    } else if (line.header !== undefined) {
      current = { ...current, bytes: raw.end, header: current.header ?? line.header };
    } else if (line.gap !== undefined) {
      current = { ...current, bytes: raw.end, lastSeq: current.lastSeq + line.gap.lines };
      listener.gap?.();
    } else {
      const [index, count] = line.batch ?? [1, 1];
      // Its other lines are damaged. The readable ones count, because a later append was accepted.
      if (batch !== undefined && !continues(batch, line.entry, index, count)) endBatch();
      if (index === 1 && count > 1)
        batch = { whole: current, operationId: line.entry.operationId, count, lines: 0, entries: [] };
      current = after(current, line.entry, raw.end, line.branch);
      if (batch === undefined) {
        listener.entry?.(line.entry, raw, line.branch);
      } else {
        // An append counts once its last line is read.
        batch.entries.push([line.entry, raw, line.branch]);
        if (++batch.lines === count || index === count) endBatch();
      }
    }
  }
  return batch === undefined ? current : batch.whole;
}

function continues(batch: OpenBatch, entry: StoredEntry, index: number, count: number): boolean {
  return index > 1 && count === batch.count && entry.operationId === batch.operationId;
}

const TWO_ZEROS = Buffer.alloc(2);
const SECTOR_BYTES = 512;

/**
 * Pages that did not reach the disk before a power cut read as zeros, and no
 * valid line contains a zero byte. They were never synced, so nothing after
 * them was acknowledged, even if later pages did reach the disk. A single zero
 * is a flipped bit and not a page, so the lines after it count, unless it is
 * the only byte of the line in its sector.
 */
function isUnwritten({ start, bytes }: RawLine, syncedBytes: number): boolean {
  if (syncedBytes === 0 || start < syncedBytes || bytes === undefined) return false;
  return bytes.includes(TWO_ZEROS) || (bytes[0] === 0 && (start + 1) % SECTOR_BYTES === 0);
}

/** The properties of an entry that the state depends on. */
export interface Counted extends Pick<StoredEntry, "id" | "seq" | "kind" | "at" | "blobs"> {
  readonly data?: Json | undefined;
}

/** The state after `entry`. */
export function after(state: LogState, entry: Counted, bytes: number, branch: number = MAIN): LogState {
  const { id, seq, kind, at, data } = entry;
  const isMessage = kind === "message";
  const tree = isMark(state.tree, kind, branch)
    ? fold(state.tree, { seq, id, kind, at, branch, data }, state.last)
    : state.tree;
  const last = branch === OFF_PATH ? state.last : id;
  return {
    bytes,
    header: state.header,
    lastSeq: Math.max(state.lastSeq, seq),
    last,
    tree,
    head: headOf(tree, tree.active, last),
    entries: state.entries + 1,
    messages: state.messages + (isMessage ? 1 : 0),
    lastMessageAt: isMessage ? later(state.lastMessageAt, at) : state.lastMessageAt,
    lastAt: later(state.lastAt, at),
    blobs: state.blobs + (entry.blobs?.length ?? 0),
  };
}

/** The later of two times, so that a clock set back does not move a conversation down the list. */
function later(known: string | null, at: string): string {
  return known === null || at > known ? at : known;
}
