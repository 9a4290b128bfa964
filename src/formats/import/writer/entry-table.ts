/**
 * Where the entries of a long conversation are, by their names, in 15 to 19 bytes each, or 25 to 31 with their
 * fingerprints. Of the names, only hashes are kept.
 *
 * Two names with the same 64 bits of a hash would be taken for one, which no source has by chance.
 */
import { hash } from "node:crypto";

/** A slot: two words of the hash of the name, and the place. */
const WORDS = 3;
/** Of a fingerprint. */
const PRINT_WORDS = 2;
/** Each grows by itself, so that there are never two copies of all slots in memory. */
const SHARDS = 64;
const SLOTS_MIN = 512;
/** The part of the slots that may be in use. With more, a look-up has to pass too many of them. */
const FULL = 0.8;
const GROWTH = 1.25;
/** Of an entry without a fingerprint, beside others that have one. */
const NO_PRINT = [0, 0] as const;
/** Set in a place: the name is not the id of the entry. */
const ALIAS = 0x8000_0000;

/** Two words of a hash. */
type Key = readonly [number, number];

export interface TableEntry {
  readonly seq: number;
  /** The name is not its id. */
  readonly isAlias: boolean;
}

export class EntryTable {
  readonly #shards: Shard[] = [];
  /** The name that was looked up last, which is often looked up again. */
  #last: { readonly name: string; readonly key: Key } | undefined;

  /** `seq` is below 2^31 - 1; `fingerprint` in Base64, or empty. */
  set(name: string, seq: number, isAlias: boolean, fingerprint: string): void {
    if (this.#shards.length === 0) for (let n = 0; n < SHARDS; n++) this.#shards.push(new Shard());
    const key = this.#keyOf(name);
    // One is added, so that a slot in use is never all zeros.
    const place = ((seq + 1) | (isAlias ? ALIAS : 0)) >>> 0;
    this.#shardOf(key)?.set(key, place, fingerprint === "" ? undefined : wordsOf(fingerprint));
  }

  get(name: string): TableEntry | undefined {
    if (this.#shards.length === 0) return undefined;
    const key = this.#keyOf(name);
    const place = this.#shardOf(key)?.find(key);
    return place === undefined ? undefined : { seq: (place & ~ALIAS) - 1, isAlias: place >= ALIAS };
  }

  /** Whether it has an entry with this name and this fingerprint. */
  holds(name: string, fingerprint: string): boolean {
    if (fingerprint === "" || this.#shards.length === 0) return false;
    const key = this.#keyOf(name);
    return this.#shardOf(key)?.holds(key, wordsOf(fingerprint)) === true;
  }

  #shardOf([, second]: Key): Shard | undefined {
    return this.#shards[second % SHARDS];
  }

  #keyOf(name: string): Key {
    if (this.#last?.name === name) return this.#last.key;
    const bytes = hash("sha1", name, "buffer");
    const key = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)] as const;
    this.#last = { name, key };
    return key;
  }
}

class Shard {
  #words: Uint32Array = new Uint32Array(SLOTS_MIN * WORDS);
  /** Only for entries that the store had before, or that are read without being written: others have none. */
  #prints: Uint32Array | undefined;
  #count = 0;

  set(key: Key, place: number, print: Key | undefined): void {
    if ((this.#count + 1) * WORDS > FULL * this.#words.length) this.#grow();
    const slot = slotOf(this.#words, key);
    if (!isUsed(this.#words, slot)) this.#count++;
    this.#words.set([...key, place], slot);
    if (print !== undefined) this.#prints ??= new Uint32Array(printOf(this.#words.length));
    this.#prints?.set(print ?? NO_PRINT, printOf(slot));
  }

  /** The place of a name. */
  find(key: Key): number | undefined {
    return this.#words[slotOf(this.#words, key) + 2] || undefined;
  }

  holds(key: Key, [first, second]: Key): boolean {
    const slot = slotOf(this.#words, key);
    const prints = this.#prints;
    if (prints === undefined || !isUsed(this.#words, slot)) return false;
    return prints[printOf(slot)] === first && prints[printOf(slot) + 1] === second;
  }

  #grow(): void {
    const words = this.#words;
    const prints = this.#prints;
    const grown = new Uint32Array(Math.ceil((words.length / WORDS) * GROWTH) * WORDS);
    const grownPrints = prints && new Uint32Array(printOf(grown.length));
    for (let slot = 0; slot < words.length; slot += WORDS) {
      if (!isUsed(words, slot)) continue;
      const to = slotOf(grown, [words[slot] as number, words[slot + 1] as number]);
      grown.set(words.subarray(slot, slot + WORDS), to);
      if (prints !== undefined)
        grownPrints?.set(prints.subarray(printOf(slot), printOf(slot) + PRINT_WORDS), printOf(to));
    }
    this.#words = grown;
    this.#prints = grownPrints;
    // All shards grow at about the same time: until the next garbage collection there would be two copies of each.
    for (const former of [words, prints])
      if (former !== undefined) (former.buffer as ArrayBuffer).transfer(0);
  }
}

/** The slot that has the key, or the free one that it would get. */
function slotOf(words: Uint32Array, [first, second]: Key): number {
  let slot = (first % (words.length / WORDS)) * WORDS;
  while (isUsed(words, slot) && (words[slot] !== first || words[slot + 1] !== second)) {
    slot = (slot + WORDS) % words.length;
  }
  return slot;
}

function isUsed(words: Uint32Array, slot: number): boolean {
  return words[slot + 2] !== 0;
}

/** Where the fingerprint of a slot is. */
function printOf(slot: number): number {
  return (slot / WORDS) * PRINT_WORDS;
}

function wordsOf(fingerprint: string): Key {
  const bytes = Buffer.from(fingerprint, "base64");
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
}
