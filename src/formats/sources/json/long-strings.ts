/**
 * Long lines are long because of a few long strings: a file, a picture, the
 * output of a program. Those are taken out of the bytes before the line is
 * parsed, so that they exist once in memory and never as JavaScript strings,
 * which take twice as much.
 */
import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { StringCut } from "../types.ts";
import { isSound, unescaped } from "./unescape.ts";

/** Shorter strings stay. */
const LONG_STRING_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * The line with a token instead of each long string value. The strings are views of the line, decoded when they are
 * read. Names of properties stay, and so does every string that bytes cannot represent: broken UTF-8, half a
 * surrogate pair, invalid JSON.
 */
export function cutLongStrings(
  line: Buffer,
  bytesMin: number = LONG_STRING_BYTES,
): { readonly text: string; readonly cuts: readonly StringCut[] } {
  const cuts: StringCut[] = [];
  const parts: string[] = [];
  const prefix = `cut-${randomBytes(16).toString("hex")}-`;
  let kept = 0;
  for (let at = line.indexOf(QUOTE); at !== -1; ) {
    const { end, isEscaped } = stringEnd(line, at + 1);
    if (end - at > bytesMin && !isName(line, end + 1)) {
      const bytes = line.subarray(at + 1, end);
      if (isUtf8(bytes) && !hasControls(bytes) && (!isEscaped || isSound(bytes))) {
        const token = `${prefix}${cuts.length}`;
        cuts.push({ token, pieces: isEscaped ? unescaped(bytes) : [bytes] });
        parts.push(line.toString("utf8", kept, at + 1), token);
        kept = end;
      }
    }
    at = line.indexOf(QUOTE, end + 1);
  }
  parts.push(line.toString("utf8", kept));
  return { text: parts.join(""), cuts };
}

/** The position of the closing quote, or the end of the line. */
function stringEnd(line: Buffer, from: number): { readonly end: number; readonly isEscaped: boolean } {
  const quote = line.indexOf(QUOTE, from);
  const near = line.subarray(from, quote === -1 ? line.length : quote);
  // Most strings have no escapes, and are passed over as fast as memory can be read.
  const backslash = near.indexOf(BACKSLASH);
  if (backslash === -1) return { end: from + near.length, isEscaped: false };
  let at = from + backslash;
  while (at < line.length && line[at] !== QUOTE) at += line[at] === BACKSLASH ? 2 : 1;
  return { end: Math.min(at, line.length), isEscaped: true };
}

function isName(line: Buffer, from: number): boolean {
  let at = from;
  while (line[at] === 0x20 || line[at] === 0x09 || line[at] === 0x0d || line[at] === 0x0a) at++;
  // An unterminated string is not a value.
  return at > line.length || line[at] === COLON;
}

/** JSON has them as escapes only. */
function hasControls(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] as number) < 0x20) return true;
  return false;
}

/** Memory of this size is freed at once, because several such lines may be read before the next garbage collection. */
export function giveBack(bytes: Buffer): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength >= LONG_STRING_BYTES) {
    buffer.transfer(0);
  }
}
