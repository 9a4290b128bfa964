import { checkPlace, otherFeed } from "../../feed-rules.ts";
import type { Change, FeedPlace } from "../../queries.ts";
import { type Row, toEntry } from "../rows.ts";
import type { Statements } from "../statements.ts";
import { rowSum } from "../sums.ts";
import type { TreeCache } from "./tree-cache.ts";

/** What was committed, in order of `n`. Entries have one themselves; every other change has a row in `changes`. */
export class Feed {
  readonly #sql: Statements;
  readonly #trees: TreeCache;

  constructor(sql: Statements, trees: TreeCache) {
    this.#sql = sql;
    this.#trees = trees;
  }

  add(type: Exclude<Change["type"], "entry">, conversation: string): void {
    const columns = [this.#trees.nextN(), conversation, type] as const;
    this.#sql.insertChange.run(...columns, rowSum(...columns));
  }

  after(
    place: FeedPlace | null,
    limit: number,
    damaged: (problem: string) => void,
  ): { changes: Change[]; place: FeedPlace } {
    const tag = this.#tag();
    const lastN = this.#trees.lastN();
    if (place === null) return { changes: [], place: encodePlace(tag, lastN, this.#sumAt(lastN)) };
    const from = decodePlace(place);
    if (from.tag !== tag) throw otherFeed();
    checkPlace(from.n, lastN);
    const sum = this.#sumAt(from.n);
    // Without one, the change was removed since.
    if (from.sum !== 0 && sum !== 0 && from.sum !== sum) throw otherFeed();
    const changes: Change[] = [];
    let end = place;
    for (const row of this.#sql.changes.iterate(from.n, limit)) {
      end = encodePlace(tag, row[8] as number, sumOf(row));
      const change = toChange(row, end);
      if (change === undefined) damaged(`Change ${row[8]} cannot be read, or does not match its checksum`);
      else changes.push(change);
    }
    return { changes, place: end };
  }

  #tag(): number {
    return (this.#sql.feedTag.get() as Row)[0] as number;
  }

  /** Of the change `n`; 0 if there is none. */
  #sumAt(n: number): number {
    const row = n === 0 ? undefined : this.#sql.changes.get(n - 1, 1);
    return row?.[8] === n ? sumOf(row) : 0;
  }
}

/**
 * A place is a number, and the feed together with a part of a checksum: a copy of the file that continued on its own
 * has another change at that number. The id of an entry stays when its content is redacted.
 */
const SUM_MAX = 2 ** 20;

function encodePlace(tag: number, n: number, sum: number): FeedPlace {
  return [n, tag * SUM_MAX + sum];
}

function decodePlace([n, second]: FeedPlace): { tag: number; n: number; sum: number } {
  return { tag: Math.floor(second / SUM_MAX), n, sum: second % SUM_MAX };
}

function sumOf(row: Row): number {
  const identity = row[13] === "entry" ? rowSum(row[0]) : rowSum(row[12], row[13]);
  return (identity >>> 0) % SUM_MAX;
}

function toChange(row: Row, place: FeedPlace): Change | undefined {
  const [n, sum, conversation, type] = [row[8], row[11], row[12] as string | null, row[13] as Change["type"]];
  if (conversation === null) return undefined;
  if (type !== "entry") {
    return rowSum(n, conversation, type) === sum ? { place, type, conversation } : undefined;
  }
  const entry = toEntry(row);
  return entry === undefined ? undefined : { place, type, conversation, entry };
}
