import { isAsWritten, isIntact, type Row } from "../rows.ts";

/** Rows with higher numbers are checked whenever they are read: a megabyte is enough to remember. */
const REMEMBERED_MAX = 8 * 1024 * 1024;
const CONVERSATIONS_MAX = 10_000;

/**
 * Which rows this process has compared with their checksums. The comparison
 * costs a third of a page that is in memory, so a row is compared when it is
 * read for the first time.
 */
export class CheckedRows {
  #entries = new Uint8Array(1024);
  readonly #conversations = new Map<unknown, unknown>();

  /** Whether an entry is as it was written. */
  readonly isIntact = (row: Row): boolean => {
    const n = row[8] as number;
    const byte = n >>> 3;
    const bit = 1 << (n & 7);
    if (n < REMEMBERED_MAX && ((this.#entries[byte] ?? 0) & bit) !== 0) return true;
    if (!isIntact(row)) return false;
    if (n >= 0 && n < REMEMBERED_MAX) {
      if (byte >= this.#entries.length) this.#grow(byte);
      this.#entries[byte] = (this.#entries[byte] as number) | bit;
    }
    return true;
  };

  #grow(byte: number): void {
    const grown = new Uint8Array(Math.min(REMEMBERED_MAX / 8, byte * 2));
    grown.set(this.#entries);
    this.#entries = grown;
  }

  /** Whether a conversation is as it was written. Its checksum changes with it. */
  readonly isAsWritten = (row: Row): boolean => {
    const [n, sum] = [row[15], row[16]];
    if (this.#conversations.get(n) === sum) return true;
    if (!isAsWritten(row)) return false;
    if (this.#conversations.size >= CONVERSATIONS_MAX) this.#conversations.clear();
    this.#conversations.set(n, sum);
    return true;
  };
}
