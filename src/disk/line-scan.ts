/**
 * Reads the lines of a file, forwards or backwards, without loading the file.
 *
 * Only byte 0x0A ends a line. Bytes after the last newline are not a line: a
 * writer may be about to complete it.
 */
import type { FileIo } from "./file-io.ts";

/** Appending a longer line fails, and readers skip it. */
export const LINE_BYTES_MAX: number = 64 * 1024 * 1024;
export const NEWLINE = 0x0a;

/** One line without its newline. `bytes` is valid until the next line is read. */
export interface RawLine {
  readonly start: number;
  /** Where the next line begins. */
  readonly end: number;
  /** `undefined` if the line is longer than the limit. */
  readonly bytes: Buffer | undefined;
}

const CHUNK_BYTES = 256 * 1024;
const FIRST_CHUNK_BYTES = 64 * 1024;

/**
 * Buffers for reuse. A new buffer costs more than the read itself, because the
 * kernel maps its pages one by one.
 */
const spare: Buffer[] = [];
const SPARE_MAX = 4;

function takeBuffer(length: number): Buffer {
  const found = spare.findIndex((buffer) => buffer.length >= length);
  return found === -1
    ? Buffer.allocUnsafeSlow(Math.max(length, CHUNK_BYTES))
    : (spare.splice(found, 1)[0] as Buffer);
}

function giveBack(buffer: Buffer): void {
  if (spare.length < SPARE_MAX && buffer.length <= CHUNK_BYTES) spare.push(buffer);
}

/**
 * Lines from `from`, which is the start of a line, up to the last newline before `to`.
 * `expectedBytes` is a guess at how much the caller will read.
 */
export function* linesForward(
  io: FileIo,
  file: number,
  from: number,
  to: number,
  expectedBytes: number = FIRST_CHUNK_BYTES,
): Generator<RawLine> {
  let size = expectedBytes;
  let position = from;
  let buffer = takeBuffer(size);
  try {
    while (position < to) {
      buffer = atLeast(buffer, size);
      const chunk = readInto(io, file, position, buffer.subarray(0, Math.min(size, to - position)));
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        yield { start: position + start, end: position + end + 1, bytes: chunk.subarray(start, end) };
        start = end + 1;
      }
      if (start > 0) {
        position += start;
        size = CHUNK_BYTES;
      } else if (position + chunk.length >= to) {
        return;
      } else if (size > LINE_BYTES_MAX) {
        const end = findNewline(io, file, position + chunk.length, to);
        if (end === undefined) return;
        yield { start: position, end: end + 1, bytes: undefined };
        position = end + 1;
        size = CHUNK_BYTES;
      } else {
        size = Math.min(size * 4, LINE_BYTES_MAX + 1);
      }
    }
  } finally {
    giveBack(buffer);
  }
}

/**
 * Lines before `to`, which is the end of a line, newest first.
 * `expectedBytes` is a guess at how much the caller will read: one read is cheaper than two.
 */
export function* linesBackward(
  io: FileIo,
  file: number,
  to: number,
  expectedBytes: number = FIRST_CHUNK_BYTES,
): Generator<RawLine> {
  let size = Math.min(Math.max(expectedBytes, 4096), CHUNK_BYTES);
  let position = to;
  let buffer = takeBuffer(size);
  try {
    while (position > 0) {
      buffer = atLeast(buffer, size);
      const begin = Math.max(0, position - size);
      const chunk = readInto(io, file, begin, buffer.subarray(0, position - begin));
      let end = chunk.length;
      // The newline at `end - 1` closes the line; the one before it opens it.
      for (let open = lastNewline(chunk, end - 1); end > 0 && (open !== -1 || begin === 0); ) {
        yield { start: begin + open + 1, end: begin + end, bytes: chunk.subarray(open + 1, end - 1) };
        end = open + 1;
        open = lastNewline(chunk, end - 1);
      }
      if (end < chunk.length) {
        position = begin + end;
        size = CHUNK_BYTES;
      } else if (size > LINE_BYTES_MAX) {
        const open = findNewlineBackward(io, file, begin, 0);
        yield { start: open, end: position, bytes: undefined };
        position = open;
        size = CHUNK_BYTES;
      } else {
        size = Math.min(size * 4, LINE_BYTES_MAX + 1);
      }
    }
  } finally {
    giveBack(buffer);
  }
}

function atLeast(buffer: Buffer, length: number): Buffer {
  if (buffer.length >= length) return buffer;
  giveBack(buffer);
  return takeBuffer(length);
}

/** The end of the last complete line before `to`; 0 if there is none. */
export function endOfLastLine(io: FileIo, file: number, to: number): number {
  return findNewlineBackward(io, file, to, 0);
}

/** Whether a line begins at `position`. Where another program has put in or removed bytes, none does. */
export function beginsLine(io: FileIo, file: number, position: number): boolean {
  return position === 0 || readChunk(io, file, position - 1, 1)[0] === NEWLINE;
}

function lastNewline(chunk: Buffer, before: number): number {
  return before <= 0 ? -1 : chunk.lastIndexOf(NEWLINE, before - 1);
}

/** The bytes at a position, fewer than `length` at the end of the file. */
export function readChunk(io: FileIo, file: number, position: number, length: number): Buffer {
  return readInto(io, file, position, Buffer.allocUnsafe(length));
}

/** Fill `chunk` from a position. Returns the part that was filled: less than all of it at the end of the file. */
export function readInto(io: FileIo, file: number, position: number, chunk: Buffer): Buffer {
  let got = 0;
  while (got < chunk.length) {
    const count = io.read(file, chunk.subarray(got), position + got);
    if (count === 0) break;
    got += count;
  }
  return chunk.subarray(0, got);
}

function findNewline(io: FileIo, file: number, from: number, to: number): number | undefined {
  for (let position = from; position < to; ) {
    const chunk = readChunk(io, file, position, Math.min(CHUNK_BYTES, to - position));
    const found = chunk.indexOf(NEWLINE);
    if (found !== -1) return position + found;
    if (chunk.length === 0) return undefined;
    position += chunk.length;
  }
  return undefined;
}

/** The position after the last newline before `to`, or `from`. */
function findNewlineBackward(io: FileIo, file: number, to: number, from: number): number {
  // It is nearly always the last byte, so the first read is short.
  let size = 4096;
  for (let position = to; position > from; size = CHUNK_BYTES) {
    const begin = Math.max(from, position - size);
    const found = readChunk(io, file, begin, position - begin).lastIndexOf(NEWLINE);
    if (found !== -1) return begin + found + 1;
    position = begin;
  }
  return from;
}
