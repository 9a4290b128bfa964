import type { FeedPlace } from "../../src/engine/index.ts";
import type { JsonlEngine } from "../../src/engine/jsonl/jsonl-engine.ts";

/** A follower of the feed that remembers its position, whatever happens to the store. */
export class FeedConsumer {
  /** How often each entry came. */
  readonly seen: Map<string, number> = new Map();
  readonly changes: string[] = [];
  #place: FeedPlace | undefined;

  start(engine: JsonlEngine): void {
    this.#place ??= engine.changes(null, 0).place;
  }

  /** Take a few changes. False when there were none. */
  take(engine: JsonlEngine, limit: number): boolean {
    const { changes, place } = engine.changes(this.#place as FeedPlace, limit);
    for (const { type, conversation, entry } of changes) {
      this.changes.push(`${type} ${conversation}`);
      if (entry === undefined) continue;
      const count = (this.seen.get(entry.id) ?? 0) + 1;
      this.seen.set(entry.id, count);
      if (count > 1) throw new Error(`the feed tells entry ${entry.id} twice`);
    }
    // Continuing from the last change is the same as continuing from the end of the page.
    this.#place = changes.length === limit ? (changes.at(-1)?.place ?? place) : place;
    return changes.length > 0;
  }

  takeAll(engine: JsonlEngine): void {
    while (this.take(engine, 7));
  }
}
