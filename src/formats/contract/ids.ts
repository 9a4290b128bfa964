import { createHash, hash } from "node:crypto";

/** A stable id for what has none: the same parts give the same id in every import. */
export function madeId(...parts: readonly (string | number)[]): string {
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, 32);
}

/** The conversation of the store that a conversation of a source becomes: the same in every import, on every machine. */
export function conversationIdOf(format: string, root: string): string {
  const digest = createHash("sha256").update(`${format}\0${root}`).digest();
  // Version 8: made by a rule of our own.
  digest[6] = (digest.readUInt8(6) & 0x0f) | 0x80;
  digest[8] = (digest.readUInt8(8) & 0x3f) | 0x80;
  const hex = digest.toString("hex", 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
