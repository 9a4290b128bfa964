/** Decodes JSON strings to UTF-8. */

const BACKSLASH = 0x5c;
const SMALL_U = 0x75;

/** The byte that each one-letter escape stands for; 0 for letters that are not escapes. */
const MEANT: Uint8Array = new Uint8Array(256);
for (const [letter, meant] of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"]) {
  MEANT[(letter as string).charCodeAt(0)] = (meant as string).charCodeAt(0);
}

/** No escape means more bytes than this. */
const MEANING_BYTES_MAX = 4;
const PIECE_BYTES = 1024 * 1024;

/** The string between the quotes, piece by piece, so that it is never in memory twice. Every escape must be valid. */
export function* unescaped(bytes: Buffer): Generator<Buffer> {
  let next = bytes.indexOf(BACKSLASH);
  for (let at = 0; at < bytes.length; ) {
    const rest = bytes.length - at;
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, rest));
    // No escape is shorter than its meaning: the rest fits into a piece of its length.
    const room = rest === piece.length ? rest : piece.length - MEANING_BYTES_MAX;
    let length = 0;
    while (at < bytes.length && length < room) {
      const run = Math.min((next === -1 ? bytes.length : next) - at, piece.length - length);
      bytes.copy(piece, length, at, at + run);
      length += run;
      at += run;
      if (at !== next || length >= room) continue;
      const point = bytes[at + 1] === SMALL_U ? (codePoint(bytes, at) as number) : undefined;
      if (point === undefined) piece[length++] = MEANT[bytes[at + 1] as number] as number;
      else length += piece.write(String.fromCodePoint(point), length, "utf8");
      at += point === undefined ? 2 : point > 0xffff ? 12 : 6;
      next = bytes.indexOf(BACKSLASH, at);
    }
    yield piece.subarray(0, length);
  }
}

/** Whether every escape is valid, and no surrogate pair is cut in half. */
export function isSound(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(BACKSLASH); at !== -1; ) {
    if (bytes[at + 1] === SMALL_U) {
      const point = codePoint(bytes, at);
      if (point === undefined) return false;
      at += point > 0xffff ? 12 : 6;
    } else {
      if (MEANT[bytes[at + 1] ?? 0] === 0) return false;
      at += 2;
    }
    at = bytes.indexOf(BACKSLASH, at);
  }
  return true;
}

/** Of `\uXXXX`, or of the two that make a pair. */
function codePoint(bytes: Buffer, at: number): number | undefined {
  const first = unit(bytes, at);
  if (first === undefined || first < 0xd800 || first > 0xdfff) return first;
  const second = first < 0xdc00 ? unit(bytes, at + 6) : undefined;
  if (second === undefined || second < 0xdc00 || second > 0xdfff) return undefined;
  return 0x10000 + (first - 0xd800) * 0x400 + (second - 0xdc00);
}

function unit(bytes: Buffer, at: number): number | undefined {
  const text = bytes.toString("latin1", at, at + 6);
  return /^\\u[0-9a-fA-F]{4}$/.test(text) ? Number.parseInt(text.slice(2), 16) : undefined;
}
