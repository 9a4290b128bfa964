/**
 * Files that pi has upgraded in place.
 *
 * The first version had no ids, so ids are made from the position of an entry.
 * When pi opens such a file, it rewrites it with new ids. The entries keep the
 * ids that were made, and the new ones become aliases, so that this stays the
 * same conversation.
 */
import type { Json, JsonObject } from "../../../../util/json.ts";
import { listIn, numberIn, textIn } from "../../../../util/values.ts";
import { idIn } from "../whole-tree-blocks.ts";
import { indexId } from "./entries.ts";

/** Header properties of the first version, which the upgrade keeps. */
const FIRST_MEMBERS = ["provider", "modelId", "thinkingLevel", "branchedFrom"];

/** Headers of the first version may lack all of these: such a file looks like a newer one. */
export function isUpgraded(header: JsonObject): boolean {
  const isNewer = (numberIn(header.version) ?? 1) > 1;
  return isNewer && FIRST_MEMBERS.some((member) => header[member] !== undefined);
}

/** With more names there is no state, because it has to hold all of them. */
const NAMES_SAVED_MAX = 5_000;

export class PiUpgrade {
  readonly #sourceId: string;
  /** The place of each id. */
  readonly #places: Map<string, number> = new Map();

  constructor(sourceId: string, saved?: Json) {
    this.#sourceId = sourceId;
    for (const item of listIn(saved)) {
      const [id, place] = listIn(item);
      if (typeof id === "string" && typeof place === "number") this.#places.set(id, place);
    }
  }

  /** The entry as it would name itself and others if it still had no ids. */
  renamed(entry: JsonObject, place: number): JsonObject {
    const id = idIn(entry.id);
    if (id !== undefined && !this.#places.has(id)) this.#places.set(id, place);
    const names = ["parentId", "targetId", "firstKeptEntryId", "fromId"].flatMap((member) => {
      const name = textIn(entry[member]);
      return name === undefined ? [] : [[member, this.#nameOf(name)] as const];
    });
    // The second of two that are called the same keeps that name, which says that it is odd.
    const isFirst = id !== undefined && this.#places.get(id) === place;
    return { ...entry, ...Object.fromEntries(names), ...(isFirst && { id: indexId(this.#sourceId, place) }) };
  }

  state(): Json | undefined {
    return this.#places.size > NAMES_SAVED_MAX ? undefined : [...this.#places];
  }

  #nameOf(name: string): string {
    const place = this.#places.get(idIn(name) ?? name);
    return place === undefined ? name : indexId(this.#sourceId, place);
  }
}
