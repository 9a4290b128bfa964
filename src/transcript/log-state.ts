import { ColloquyError } from "../errors.ts";
import type { Entry } from "../message/types.ts";
import type { FileIo } from "./io.ts";
import { decodeLine, type Header, type Line } from "./lines.ts";
import { linesForward, type RawLine } from "./scan.ts";

/** What is known of a log after reading it up to `bytes`. */
export interface LogState {
  /** Up to here every line is complete, and so is every atomic append. */
  readonly bytes: number;
  readonly header: Header | undefined;
  readonly lastSeq: number;
  /** The id of the last entry. */
  readonly head: string | null;
  readonly entries: number;
  readonly messages: number;
  readonly lastMessageAt: string | null;
}

/** A line that could not be read. It stays where it is. */
export interface BadLine {
  readonly start: number;
  readonly end: number;
  readonly reason: string;
}

export const EMPTY_LOG: LogState = {
  bytes: 0,
  header: undefined,
  lastSeq: 0,
  head: null,
  entries: 0,
  messages: 0,
  lastMessageAt: null,
};

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const CARRIAGE_RETURN = 0x0d;

/** `undefined` for a blank line. */
export function decodeRaw(raw: RawLine): Line | undefined {
  let { bytes } = raw;
  if (bytes === undefined) return { ok: false, reason: "longer than the limit for a line" };
  if (raw.start === 0 && bytes.subarray(0, 3).equals(BOM)) bytes = bytes.subarray(3);
  if (bytes[bytes.length - 1] === CARRIAGE_RETURN) bytes = bytes.subarray(0, -1);
  return bytes.length === 0 ? undefined : decodeLine(bytes);
}

export interface AdvanceListener {
  entry?(entry: Entry, raw: RawLine): void;
  bad?(line: BadLine): void;
}

/**
 * Read on from `state` to the last complete append before `size`.
 *
 * The tail that is left over is an unterminated line or an append of which
 * not all lines are there: for a reader it is pending, for a writer torn.
 */
export function advance(
  io: FileIo,
  file: number,
  state: LogState,
  size: number,
  listener: AdvanceListener = {},
): LogState {
  let current = { ...state };
  let batch: { whole: LogState; entries: [Entry, RawLine][] } | undefined;
  for (const raw of linesForward(io, file, state.bytes, size)) {
    const line = decodeRaw(raw);
    if (line === undefined) {
      current.bytes = raw.end;
    } else if (!line.ok) {
      if (line.newer)
        throw new ColloquyError("NOT_SUPPORTED", `The transcript is of a newer version: ${line.reason}`);
      current = { ...current, bytes: raw.end, lastSeq: current.lastSeq + 1 };
      listener.bad?.({ start: raw.start, end: raw.end, reason: line.reason });
    } else if (line.header !== undefined) {
      current = { ...current, bytes: raw.end, header: current.header ?? line.header };
    } else {
      const [index, count] = line.batch ?? [1, 1];
      if (index < count && index === 1) batch = { whole: current, entries: [] };
      current = after(current, line.entry, raw.end);
      if (batch === undefined) {
        listener.entry?.(line.entry, raw);
      } else {
        // The bytes are only lent, and an append counts when its last line is there.
        batch.entries.push([line.entry, raw]);
        if (index === count) {
          for (const [entry, at] of batch.entries) listener.entry?.(entry, at);
          batch = undefined;
        }
      }
    }
  }
  return batch === undefined ? current : batch.whole;
}

/** The state once `entry` is the last of the log. */
export function after(
  state: LogState,
  entry: Pick<Entry, "id" | "seq" | "kind" | "at">,
  bytes: number,
): LogState {
  const isMessage = entry.kind === "message";
  return {
    bytes,
    header: state.header,
    lastSeq: Math.max(state.lastSeq, entry.seq),
    head: entry.id,
    entries: state.entries + 1,
    messages: state.messages + (isMessage ? 1 : 0),
    lastMessageAt: isMessage ? later(state.lastMessageAt, entry.at) : state.lastMessageAt,
  };
}

/** The later of two times; a clock that went back does not move a conversation down the list. */
export function later(known: string | null, at: string): string {
  return known === null || at > known ? at : known;
}
