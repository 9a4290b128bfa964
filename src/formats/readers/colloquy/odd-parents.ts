import { entriesInCycles, type OddParent } from "../../../tree/cycles.ts";
import type { JsonObject } from "../../../util/json.ts";
import { filledIn, textIn } from "../../../util/values.ts";

/** Finds entries whose parent comes after them. One whose parent is missing is left to the writer. */
export class OddParents {
  readonly #parents = new Map<string, string | null>();
  readonly #late = new Map<string, string>();
  #circular: ReadonlySet<string> | undefined;
  #last: string | null = null;

  /** In the order of the source, before any is asked for. Without a parent, an entry follows the one before it. */
  count({ id, parentId }: JsonObject): void {
    const own = filledIn(id);
    if (own === undefined) return;
    const parent = parentId === undefined ? this.#last : (textIn(parentId) ?? null);
    if (parent !== null && !this.#parents.has(parent)) this.#late.set(own, parent);
    if (!this.#parents.has(own)) this.#parents.set(own, parent);
    this.#last = own;
    this.#circular = undefined;
  }

  of(id: string): OddParent | undefined {
    const parent = this.#late.get(id);
    if (parent === id) return "cycle";
    if (parent === undefined || !this.#parents.has(parent)) return undefined;
    this.#circular ??= entriesInCycles(this.#parents);
    return this.#circular.has(id) ? "cycle" : "late-parent";
  }
}
