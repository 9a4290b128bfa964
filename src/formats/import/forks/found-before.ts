/** Remembers, during one import, what was found in files that others continue. */
import type { Json } from "../../../util/json.ts";
import { jsonText } from "../../../util/values.ts";
import type { Findings } from "../../contract/format.ts";
import type { Surroundings } from "../../contract/reader.ts";

/** Of findings as JSON, which take a few times as much memory: what is said by the first lines of 25,000 sessions. */
const CHARACTERS_MAX = 8_000_000;

interface Finding {
  readonly stamp: string;
  readonly found: Json | undefined;
  readonly characters: number;
}

export class FoundBefore implements Findings {
  readonly #charactersMax: number;
  /** Those that were used last come last. */
  readonly #findings: Map<string, Finding> = new Map();
  #characters = 0;

  constructor(charactersMax: number = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

  async in<Found extends Json | undefined>(
    name: string,
    around: Surroundings,
    what: string,
    look: () => Promise<Found>,
  ): Promise<Found> {
    const key = `${what} ${around.pathOf(name)}`;
    // A change while it is read then counts as one that comes later.
    const stamp = around.stamp(name);
    const known = this.#findings.get(key);
    if (known?.stamp !== stamp) return this.#put(key, stamp, await look());
    this.#findings.delete(key);
    this.#findings.set(key, known);
    return known.found as Found;
  }

  #put<Found extends Json | undefined>(key: string, stamp: string, found: Found): Found {
    this.#remove(key);
    const characters = key.length + (found === undefined ? 0 : (jsonText(found)?.length ?? 0));
    this.#findings.set(key, { stamp, found, characters });
    this.#characters += characters;
    for (const oldest of this.#findings.keys()) {
      if (this.#characters <= this.#charactersMax) break;
      this.#remove(oldest);
    }
    return found;
  }

  #remove(key: string): void {
    this.#characters -= this.#findings.get(key)?.characters ?? 0;
    this.#findings.delete(key);
  }
}
