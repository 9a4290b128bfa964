import type { Json } from "../../../util/json.ts";
import { listIn, textIn } from "../../contract/values.ts";
import { Recent } from "./recent.ts";

const LINKS_MAX = 20_000;

/**
 * Whom a record stands for when another names it as its parent: the nearest
 * entry above one that became none, the message above one of its lines, the
 * last of several tool results above each of them.
 *
 * Remembers the newest records only. Parents stand close by; one that was
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
    // A ring of records that name one another: none of them stands for the others.
    return found === null ? null : id;
  }

  /** The newest, by target: many records in a row stand for the same entry. */
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
