import { isAsWritten, isIntact, type Row } from "../rows.ts";

/** A megabyte is enough to remember. */
const REMEMBERED_MAX = 2 ** 18;
const CONVERSATIONS_MAX = 10_000;

/**
 * Which rows this process has compared with their checksums. The comparison
 * costs a third of a page that is in memory, so a row is compared when it is
 * read for the first time.
 */
export class CheckedRows {
  /** What was compared, at the place of its `n`. A later row may take the place. */
  readonly #entries = new Int32Array(REMEMBERED_MAX);
  readonly #conversations = new Map<unknown, unknown>();

  /** Whether an entry is as it was written. */
  readonly isIntact = (row: Row): boolean => {
    if (this.isKnown(row)) return true;
    if (!isIntact(row)) return false;
    this.#entries[placeOf(row)] = markOf(row);
    return true;
  };

  /** Whether an entry was compared before. Its body is then JSON too: `toEntry` parses it first. */
  readonly isKnown = (row: Row): boolean => this.#entries[placeOf(row)] === markOf(row);

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

function placeOf(row: Row): number {
  return (row[8] as number) & (REMEMBERED_MAX - 1);
}

/** Its `seq` and conversation are those of an index, which may lead to another row than it should. */
function markOf(row: Row): number {
  return mixed(row[8] as number, row[1] as number, row[9] as number);
}

/** Another number if one of the three is different. Never 0. */
function mixed(n: number, seq: number, conversation: number): number {
  return Math.imul(n, 0x9e3779b1) ^ Math.imul(seq, 0x85ebca6b) ^ Math.imul(conversation, 0xc2b2ae35) || 1;
}
