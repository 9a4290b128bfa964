/**
 * Entries of pi that are part of its tree and not of ours.
 *
 * A label or an extension's own data is named as a parent by what comes after
 * it. Here such an entry is on no path: its children follow its parent.
 */
import type { Json } from "../../../../util/json.ts";
import { listIn, textIn } from "../../../contract/values.ts";

interface Aside {
  /** The entry that it follows, on a path. */
  readonly parent: string | null;
  /** The entry before it, if that is on no path either. */
  readonly before: string | undefined;
  /** The first entry on a path that follows it. */
  next: string | undefined;
}

/** The number kept in the state. Later records hardly ever refer to an older one. */
const ASIDES_MAX = 500;

export class PiTree {
  readonly #asides: Map<string, Aside> = new Map();

  constructor(state?: Json) {
    for (const item of listIn(state)) {
      const [id, parent, next] = listIn(item);
      const aside = { parent: textIn(parent) ?? null, before: undefined, next: textIn(next) };
      if (typeof id === "string") this.#asides.set(id, aside);
    }
  }

  /** The entry on a path that is meant by an id. */
  resolve(id: string | null): string | null {
    const aside = id === null ? undefined : this.#asides.get(id);
    return aside === undefined ? id : aside.parent;
  }

  /** The same for the start of a kept part: the next entry instead of the previous one. */
  resolveForward(id: string): string {
    const aside = this.#asides.get(id);
    return aside?.next ?? aside?.parent ?? id;
  }

  /** Add an entry on no path. `target` is the entry that it represents, if not its parent. */
  setAside(id: string, parent: string | null, target: string | null = parent): void {
    const before = parent !== null && this.#asides.has(parent) ? parent : undefined;
    this.#asides.set(id, { parent: this.resolve(target), before, next: undefined });
  }

  /** An entry on a path, by the parent that the source names. */
  follow(id: string, parent: string | null): void {
    let aside = parent === null ? undefined : this.#asides.get(parent);
    while (aside !== undefined && aside.next === undefined) {
      aside.next = id;
      aside = aside.before === undefined ? undefined : this.#asides.get(aside.before);
    }
  }

  state(): Json {
    const latest = [...this.#asides].slice(-ASIDES_MAX);
    return latest.map(([id, { parent, next }]) => (next === undefined ? [id, parent] : [id, parent, next]));
  }
}
