import type { Json } from "../../../util/json.ts";
import { listIn, textIn } from "../../../util/values.ts";
import { Recent } from "./recent.ts";

const LINKS_MAX = 20_000;

/**
 * The entry that a parent reference means. For a record that did not become an
 * entry it is the nearest entry above, for one line of a message the message,
 * and for one of several tool results the last of them.
 *
 * Only the newest records are remembered, because parents are close by. The id
 * of a forgotten one is passed on unchanged.
 */
export class Links {
  readonly #targets: Recent<string | null> = new Recent(LINKS_MAX);

  constructor(saved?: Json) {
    for (const item of listIn(saved)) {
      const [target, ...ids] = listIn(item);
      for (const id of ids) if (typeof id === "string") this.set(id, textIn(target) ?? null);
    }
  }

  set(id: string, target: string | null): void {
    if (id !== target) this.#targets.set(id, target);
  }

  resolve(id: string | null): string | null {
    let found = id;
    const seen = new Set<string>();
    while (found !== null && !seen.has(found)) {
      const target = this.#targets.get(found);
      if (target === undefined) return found;
      seen.add(found);
      found = target;
    }
    // The records form a cycle: none of them represents the others.
    return found === null ? null : id;
  }

  /** The newest, by entry: many consecutive records lead to the same one. */
  state(count: number): Json {
    const byTarget = new Map<string | null, string[]>();
    for (const [id, target] of this.#targets.last(count)) {
      const ids = byTarget.get(target);
      if (ids === undefined) byTarget.set(target, [id]);
      else ids.push(id);
    }
    return [...byTarget].map(([target, ids]) => [target, ...ids]);
  }
}
