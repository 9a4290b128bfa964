/** Decodes JSON strings to UTF-8. */

const BACKSLASH = 0x5c;
const SMALL_U = 0x75;

/** The byte that each one-letter escape stands for; 0 for letters that are not escapes. */
const MEANT: Uint8Array = new Uint8Array(256);
for (const [letter, meant] of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"]) {
  MEANT[(letter as string).charCodeAt(0)] = (meant as string).charCodeAt(0);
}

/**
 * `bytes` are the bytes between the quotes. They are overwritten, because no
 * escape is shorter than its meaning and a copy would be as long again.
 * `undefined`, with nothing changed, for an invalid escape or half a
 * surrogate pair.
 */
export function unescapeInPlace(bytes: Buffer): Buffer | undefined {
  if (!isSound(bytes)) return undefined;
  let length = bytes.indexOf(BACKSLASH);
  for (let at = length; at < bytes.length; ) {
    const byte = bytes[at] as number;
    if (byte !== BACKSLASH) {
      bytes[length++] = byte;
      at++;
    } else if (bytes[at + 1] === SMALL_U) {
      const point = codePoint(bytes, at) as number;
      length += bytes.write(String.fromCodePoint(point), length, "utf8");
      at += point > 0xffff ? 12 : 6;
    } else {
      bytes[length++] = MEANT[bytes[at + 1] as number] as number;
      at += 2;
    }
  }
  return bytes.subarray(0, length);
}

/** Whether every escape is valid. There must be at least one. */
function isSound(bytes: Buffer): boolean {
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
