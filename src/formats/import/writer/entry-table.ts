/**
 * Where the entries of a long conversation are, by their names, in 27 to 40 bytes each. Of the names, only hashes are
 * kept.
 *
 * Two names with the same 64 bits of a hash would be taken for one, which no source has by chance.
 */
import { hash } from "node:crypto";

/** A slot: two words of the hash of the name, the place, and two words of the fingerprint. */
const WORDS = 5;
/** Each grows by itself, so that there are never two copies of all slots in memory. */
const SHARDS = 64;
const SLOTS_MIN = 512;
/** The part of the slots that may be in use. With more, a look-up has to pass too many of them. */
const FULL = 0.75;
const GROWTH = 1.5;
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
    this.#shardOf(key)?.set(key, place, wordsOf(fingerprint));
  }

  get(name: string): TableEntry | undefined {
    const place = this.#find(name)?.[2];
    return place === undefined ? undefined : { seq: (place & ~ALIAS) - 1, isAlias: place >= ALIAS };
  }

  /** Whether it has an entry with this name and this fingerprint. */
  holds(name: string, fingerprint: string): boolean {
    const found = fingerprint === "" ? undefined : this.#find(name);
    if (found === undefined) return false;
    const [first, second] = wordsOf(fingerprint);
    return found[3] === first && found[4] === second;
  }

  #find(name: string): Uint32Array | undefined {
    if (this.#shards.length === 0) return undefined;
    const key = this.#keyOf(name);
    return this.#shardOf(key)?.find(key);
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
  #count = 0;

  set(key: Key, place: number, fingerprint: Key): void {
    if ((this.#count + 1) * WORDS > FULL * this.#words.length) this.#grow();
    const slot = slotOf(this.#words, key);
    if (!isUsed(this.#words, slot)) this.#count++;
    this.#words.set([...key, place, ...fingerprint], slot);
  }

  /** The words of its slot. */
  find(key: Key): Uint32Array | undefined {
    const slot = slotOf(this.#words, key);
    return isUsed(this.#words, slot) ? this.#words.subarray(slot, slot + WORDS) : undefined;
  }

  #grow(): void {
    const former = this.#words;
    this.#words = new Uint32Array(Math.ceil((former.length / WORDS) * GROWTH) * WORDS);
    for (let slot = 0; slot < former.length; slot += WORDS) {
      if (!isUsed(former, slot)) continue;
      const key = [former[slot] as number, former[slot + 1] as number] as const;
      this.#words.set(former.subarray(slot, slot + WORDS), slotOf(this.#words, key));
    }
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

function wordsOf(fingerprint: string): Key {
  if (fingerprint === "") return [0, 0];
  const bytes = Buffer.from(fingerprint, "base64");
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
}
