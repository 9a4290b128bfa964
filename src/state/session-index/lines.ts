/**
 * Replace one entry in the bytes of an index that we wrote.
 *
 * Ten thousand entries are four megabytes, which take far longer to parse and
 * to put together than to write. Here only one line is parsed. Whatever looks
 * unexpected is left to the reader of whole documents.
 */
import { NEWLINE } from "../../disk/line-scan.ts";
import { lineOf } from "./document.ts";
import { readEntry, type SessionEntry } from "./entry.ts";

const HEAD = Buffer.from('{\n"');
const TAIL = Buffer.from("\n}\n");
const COMMA = 0x2c;

/** The position of an entry: from its key to the newline after it. */
export interface Line {
  readonly start: number;
  readonly end: number;
  readonly entry: SessionEntry;
}

/** Whether the bytes have the form that we write. */
export function isOurs(bytes: Buffer): boolean {
  return (
    bytes.length > HEAD.length + TAIL.length &&
    bytes.subarray(0, HEAD.length).equals(HEAD) &&
    bytes.subarray(-TAIL.length).equals(TAIL)
  );
}

/** `undefined`: there is none. `null`: unknown. */
export function findLine(bytes: Buffer, key: string): Line | null | undefined {
  const at = bytes.indexOf(`\n${JSON.stringify(key)}: `);
  if (at < 0) return undefined;
  const start = at + 1;
  const end = bytes.indexOf(NEWLINE, start);
  const entry = entryIn(bytes.toString("utf8", start, bytes[end - 1] === COMMA ? end - 1 : end), key);
  return entry === undefined ? null : { start, end, entry };
}

function entryIn(line: string, key: string): SessionEntry | undefined {
  try {
    return readEntry(JSON.parse(`{${line}}`)[key]);
  } catch {
    return undefined;
  }
}

/** The bytes, in pieces, with another entry in that line, or with a new line at the end. */
export function withLine(bytes: Buffer, line: Line | undefined, key: string, entry: SessionEntry): Buffer[] {
  const text = lineOf(key, entry);
  if (line === undefined) return [bytes.subarray(0, -TAIL.length), Buffer.from(`,\n${text}`), TAIL];
  const end = bytes[line.end - 1] === COMMA ? line.end - 1 : line.end;
  return [bytes.subarray(0, line.start), Buffer.from(text), bytes.subarray(end)];
}

/** The bytes, in pieces, without that line. `undefined` when it is the only one. */
export function withoutLine(bytes: Buffer, line: Line): Buffer[] | undefined {
  const isLast = bytes[line.end - 1] !== COMMA;
  if (!isLast) return [bytes.subarray(0, line.start), bytes.subarray(line.end + 1)];
  // The comma of the line before goes too.
  const before = line.start - 2;
  return bytes[before] === COMMA ? [bytes.subarray(0, before), bytes.subarray(line.end)] : undefined;
}
