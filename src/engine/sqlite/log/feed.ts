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
    if (place === null) return { changes: [], place: [this.#trees.lastN(), tag] };
    if (place[1] !== tag) throw otherFeed();
    checkPlace(place[0], this.#trees.lastN());
    const changes: Change[] = [];
    let end = place;
    for (const row of this.#sql.changes.iterate(place[0], limit)) {
      end = [row[8] as number, tag];
      const change = toChange(row, end);
      if (change === undefined) damaged(`Change ${row[8]} cannot be read, or does not match its checksum`);
      else changes.push(change);
    }
    return { changes, place: end };
  }

  #tag(): number {
    return (this.#sql.feedTag.get() as Row)[0] as number;
  }
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
