import type { Json } from "../../../util/json.ts";
import { listIn, textIn } from "../../contract/values.ts";
import { Recent } from "./recent.ts";

const LINKS_MAX = 20_000;

/**
 * The entry that a record represents as a parent: the nearest entry above a
 * record that did not become one, the message above one of its lines, the
 * last of several tool results above each of them.
 *
 * Remembers the newest records only. Parents are close by; one that was
 * forgotten is named as the source names it.
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
    // A cycle of records: none of them represents the others.
    return found === null ? null : id;
  }

  /** The newest, by target: many consecutive records represent the same entry. */
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
