/** What a JSON string stands for, in UTF-8. */

const BACKSLASH = 0x5c;
const SMALL_U = 0x75;

/** The byte that an escape of one letter stands for, by its letter; 0 for what is no escape. */
const MEANT: Uint8Array = new Uint8Array(256);
for (const [letter, meant] of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"]) {
  MEANT[(letter as string).charCodeAt(0)] = (meant as string).charCodeAt(0);
}

/** `bytes` is what stands between the quotes. `undefined` when an escape is none, or half a surrogate pair. */
export function unescaped(bytes: Buffer): Buffer | undefined {
  // No escape is shorter than what it stands for.
  const out = Buffer.allocUnsafeSlow(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    if (byte !== BACKSLASH) {
      out[length++] = byte;
      at++;
    } else if (bytes[at + 1] === SMALL_U) {
      const point = codePoint(bytes, at);
      if (point === undefined) return undefined;
      length += out.write(String.fromCodePoint(point), length, "utf8");
      at += point > 0xffff ? 12 : 6;
    } else {
      const meant = MEANT[bytes[at + 1] ?? 0] as number;
      if (meant === 0) return undefined;
      out[length++] = meant;
      at += 2;
    }
  }
  return out.subarray(0, length);
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
