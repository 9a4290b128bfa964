/**
 * The session keys of legacy files, which only claim them: nothing is written
 * until they are migrated. A key belongs to the conversation of the store that
 * has it, otherwise to the legacy file used last. The others have the key
 * followed by `~` and their id.
 */
import { type Claim, keyOfOlder, settleClaims } from "../../../key/copies.ts";
import { timeOf } from "../../../util/time.ts";
import { activeAt } from "../../rules.ts";
import { type CatalogueEntry, infoOf } from "../folder/catalogue-entry.ts";

export class LegacyClaims {
  readonly #claims = new Map<string, Set<CatalogueEntry>>();
  readonly #claimed = new Map<CatalogueEntry, string>();
  readonly #byKey = new Map<string, CatalogueEntry>();
  /** Keys that more than one conversation wants. */
  #contested: readonly string[] = [];

  add(known: CatalogueEntry, key: string): void {
    this.#claims.set(key, (this.#claims.get(key) ?? new Set()).add(known));
    this.#claimed.set(known, key);
  }

  remove(known: CatalogueEntry): void {
    const claimed = this.#claimed.get(known);
    if (claimed === undefined) return;
    this.#claimed.delete(known);
    this.#claims.get(claimed)?.delete(known);
    this.#release(known);
  }

  byKey(key: string): CatalogueEntry | undefined {
    return this.#byKey.get(key);
  }

  /** Assign the keys anew, because conversations came or went. */
  settle(isTaken: (key: string) => boolean): void {
    const contested: string[] = [];
    for (const [key, claimants] of this.#claims) {
      const taken = isTaken(key);
      if (claimants.size > 1 && !taken) contested.push(key);
      for (const known of claimants) this.#hold(known, taken ? keyOfOlder(key, known.metadata.id) : key);
    }
    this.#contested = contested;
  }

  /** Legacy programs continue to write, so another file may be the one used last. */
  compare(refresh: (known: CatalogueEntry) => void): void {
    for (const key of this.#contested) {
      const claimants = [...(this.#claims.get(key) ?? [])];
      for (const known of claimants) refresh(known);
      const keys = settleClaims(claimants.map((known) => claimOf(known, key)));
      for (const [index, known] of claimants.entries()) this.#hold(known, keys[index] as string);
    }
  }

  #hold(known: CatalogueEntry, key: string): void {
    this.#release(known);
    if (known.metadata.key !== key) known.metadata = { ...known.metadata, key };
    this.#byKey.set(key, known);
  }

  #release(known: CatalogueEntry): void {
    const { key } = known.metadata;
    if (key !== null && this.#byKey.get(key) === known) this.#byKey.delete(key);
  }
}

function claimOf(known: CatalogueEntry, key: string): Claim {
  const info = infoOf(known);
  return { key, sessionId: info.id, updatedAt: timeOf(activeAt(info)) };
}
