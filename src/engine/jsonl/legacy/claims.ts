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

type Refresh = (known: CatalogueEntry) => void;

export class LegacyClaims {
  readonly #claims = new Map<string, Set<CatalogueEntry>>();
  readonly #claimed = new Map<CatalogueEntry, string>();
  readonly #byKey = new Map<string, CatalogueEntry>();
  /** Keys that several legacy files claim, and no other conversation has. */
  readonly #contested = new Set<string>();
  readonly #refresh: Refresh;

  /** `refresh` reads what was appended to a log. */
  constructor(refresh: Refresh) {
    this.#refresh = refresh;
  }

  add(known: CatalogueEntry, key: string): void {
    this.#claims.set(key, (this.#claims.get(key) ?? new Set()).add(known));
    this.#claimed.set(known, key);
  }

  remove(known: CatalogueEntry): void {
    const key = this.#claimed.get(known);
    if (key === undefined) return;
    this.#claimed.delete(known);
    this.#claims.get(key)?.delete(known);
    this.#release(known);
  }

  /** The key that a conversation claims, if it is in a legacy file. */
  of(known: CatalogueEntry): string | undefined {
    return this.#claimed.get(known);
  }

  byKey(key: string): CatalogueEntry | undefined {
    return this.#byKey.get(key);
  }

  /** Assign these keys anew, because conversations came or went. */
  settle(isTaken: (key: string) => boolean, keys: Iterable<string> = this.#claims.keys()): void {
    for (const key of keys) {
      const claimants = this.#claims.get(key) ?? [];
      const taken = isTaken(key);
      this.#contested.delete(key);
      for (const known of claimants) this.#hold(known, taken ? keyOfOlder(key, known.metadata.id) : key);
      if (taken || [...claimants].length < 2) continue;
      this.#contested.add(key);
      this.#compare(key);
    }
  }

  /** Legacy programs continue to write, so another file may be the one used last. */
  compareAll(): void {
    for (const key of this.#contested) this.#compare(key);
  }

  /** Only for the key that a conversation claims. */
  compareFor(known: CatalogueEntry): void {
    const key = this.#claimed.get(known);
    if (key !== undefined && this.#contested.has(key)) this.#compare(key);
  }

  #compare(key: string): void {
    const claimants = [...(this.#claims.get(key) ?? [])];
    for (const known of claimants) this.#refresh(known);
    const keys = settleClaims(claimants.map((known) => claimOf(known, key)));
    for (const [index, known] of claimants.entries()) this.#hold(known, keys[index] as string);
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
