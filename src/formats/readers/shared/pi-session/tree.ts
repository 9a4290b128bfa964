/**
 * Entries of pi that are part of its tree and not of ours.
 *
 * In pi, a label or the data of an extension can be a parent. Here such an entry
 * is on no path: its children follow its parent.
 */
import type { Json } from "../../../../util/json.ts";
import { listIn, textIn } from "../../../../util/values.ts";

interface Skipped {
  /** The entry that it follows, on a path. */
  readonly parent: string | null;
  /** The entry before it, if that is on no path either. */
  readonly before: string | undefined;
  /** The first entry on a path that follows it. */
  next: string | undefined;
}

/** The number kept in the state. Later records rarely refer to older ones. */
const SKIPPED_MAX = 500;

export class PiTree {
  readonly #skipped: Map<string, Skipped> = new Map();

  constructor(state?: Json) {
    for (const item of listIn(state)) {
      const [id, parent, next] = listIn(item);
      const skipped = { parent: textIn(parent) ?? null, before: undefined, next: textIn(next) };
      if (typeof id === "string") this.#skipped.set(id, skipped);
    }
  }

  /** The entry on a path that is meant by an id. */
  resolve(id: string | null): string | null {
    const skipped = id === null ? undefined : this.#skipped.get(id);
    return skipped === undefined ? id : skipped.parent;
  }

  /** The same for the start of a kept part: the next entry instead of the previous one. */
  resolveForward(id: string): string {
    const skipped = this.#skipped.get(id);
    return skipped?.next ?? skipped?.parent ?? id;
  }

  /** Add an entry on no path. `target` is the entry that it represents, if not its parent. */
  skip(id: string, parent: string | null, target: string | null = parent): void {
    const before = parent !== null && this.#skipped.has(parent) ? parent : undefined;
    this.#skipped.set(id, { parent: this.resolve(target), before, next: undefined });
  }

  /** An entry on a path, by the parent that the source names. */
  follow(id: string, parent: string | null): void {
    let skipped = parent === null ? undefined : this.#skipped.get(parent);
    while (skipped !== undefined && skipped.next === undefined) {
      skipped.next = id;
      skipped = skipped.before === undefined ? undefined : this.#skipped.get(skipped.before);
    }
  }

  state(): Json {
    const latest = [...this.#skipped].slice(-SKIPPED_MAX);
    return latest.map(([id, { parent, next }]) => (next === undefined ? [id, parent] : [id, parent, next]));
  }
}
