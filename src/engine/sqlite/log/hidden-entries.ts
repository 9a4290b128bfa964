import { lengthOf, type SeqRange, within } from "../../../tree/path.ts";
import { ownerOf, type Tree } from "../../../tree/tree.ts";
import type { Row } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** Where entries are looked for. */
export interface Log {
  /** The conversation. */
  readonly n: number;
  readonly tree: Tree;
  /** Entries that were removed for good; none are on the path of a branch. `undefined` for such a path. */
  readonly swept: readonly SeqRange[] | undefined;
}

/**
 * Notices entries that an index hides.
 *
 * Indexes have no checksum: a flipped bit in one can hide an entry, or a
 * thousand. When numbers are missing from a page, the table says whether their
 * entries exist. They do not if a branch was pruned, or if the log was copied
 * from one that had lost them.
 */
export class HiddenEntries {
  readonly #sql: Statements;
  readonly #log: Log;
  readonly #found: (problem: string) => void;

  constructor(sql: Statements, log: Log, found: (problem: string) => void) {
    this.#sql = sql;
    this.#log = log;
    this.#found = found;
  }

  /** No row has a number from `first` to `last`. `after` is the row after them, if it is known. */
  missing(first: number, last: number, after: Row | undefined): void {
    if (first > last) this.#found(`an index has entry ${first} in a wrong place`);
    else if (!this.#isKnown(first, last, after) && this.#isStored(first, last))
      this.#found(`an index hides entries from ${first} to ${last}`);
  }

  #isKnown(first: number, last: number, after: Row | undefined): boolean {
    const { n, swept } = this.#log;
    if (swept !== undefined) return lengthOf(within(swept, first, last)) === last - first + 1;
    if (after === undefined) return false;
    const parent = after[2] as string | null;
    if (parent === null) return true;
    const seq = this.#sql.entryById.get(n, parent)?.[1] as number | undefined;
    return seq !== undefined && seq < first;
  }

  #isStored(first: number, last: number): boolean {
    return this.#sql.storedEntry.get(this.#log.n, first, last) !== undefined;
  }

  /** A row that names another branch than the tree begins a run that the tree does not have. */
  checkBranch(row: Row): void {
    const [seq, branch] = [row[1] as number, row[10]];
    if (branch !== ownerOf(this.#log.tree, seq))
      this.#found(`an index hides that entry ${seq} is on another branch`);
  }
}
