/**
 * Where the entries of a long conversation are, by their names, in 20 bytes each. Names are not kept, only their hashes.
 *
 * Two names with the same 64 bits of a hash would be taken for one, which no source has by chance.
 */
import { hash } from "node:crypto";

/** A slot: two words of the hash of the name, the place, and two words of the fingerprint. */
const WORDS = 5;
const SLOTS_MIN = 1024;
/** Set in a place: the name is not the id of the entry. */
const ALIAS = 0x8000_0000;

export interface TableEntry {
  readonly seq: number;
  /** The name is not its id. */
  readonly isAlias: boolean;
}

export class EntryTable {
  #words: Uint32Array = new Uint32Array(0);
  #count = 0;
  /** The name that was looked up last, which is often looked up again. */
  #last: { readonly name: string; readonly key: readonly [number, number] } | undefined;

  /** `seq` is below 2^31 - 1; `fingerprint` in Base64, or empty. */
  set(name: string, seq: number, isAlias: boolean, fingerprint: string): void {
    if (2 * (this.#count + 1) * WORDS > this.#words.length) this.#grow();
    const key = this.#keyOf(name);
    const slot = slotOf(this.#words, key);
    if (!isUsed(this.#words, slot)) this.#count++;
    // One is added, so that a slot in use is never all zeros.
    const place = ((seq + 1) | (isAlias ? ALIAS : 0)) >>> 0;
    this.#words.set([...key, place, ...wordsOf(fingerprint)], slot);
  }

  get(name: string): TableEntry | undefined {
    const slot = this.#find(name);
    if (slot === undefined) return undefined;
    const place = this.#words[slot + 2] as number;
    return { seq: (place & ~ALIAS) - 1, isAlias: place >= ALIAS };
  }

  /** Whether it has an entry with this name and this fingerprint. */
  holds(name: string, fingerprint: string): boolean {
    const slot = fingerprint === "" ? undefined : this.#find(name);
    if (slot === undefined) return false;
    const [first, second] = wordsOf(fingerprint);
    return this.#words[slot + 3] === first && this.#words[slot + 4] === second;
  }

  #find(name: string): number | undefined {
    if (this.#count === 0) return undefined;
    const slot = slotOf(this.#words, this.#keyOf(name));
    return isUsed(this.#words, slot) ? slot : undefined;
  }

  #keyOf(name: string): readonly [number, number] {
    if (this.#last?.name === name) return this.#last.key;
    const bytes = hash("sha1", name, "buffer");
    const key = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)] as const;
    this.#last = { name, key };
    return key;
  }

  #grow(): void {
    const former = this.#words;
    this.#words = new Uint32Array(Math.max(SLOTS_MIN * WORDS, 2 * former.length));
    for (let slot = 0; slot < former.length; slot += WORDS) {
      if (!isUsed(former, slot)) continue;
      const key = [former[slot] as number, former[slot + 1] as number] as const;
      this.#words.set(former.subarray(slot, slot + WORDS), slotOf(this.#words, key));
    }
  }
}

/** The slot that has the key, or the free one that it would get. */
function slotOf(words: Uint32Array, [first, second]: readonly [number, number]): number {
  let slot = (first % (words.length / WORDS)) * WORDS;
  while (isUsed(words, slot) && (words[slot] !== first || words[slot + 1] !== second)) {
    slot = (slot + WORDS) % words.length;
  }
  return slot;
}

function isUsed(words: Uint32Array, slot: number): boolean {
  return words[slot + 2] !== 0;
}

function wordsOf(fingerprint: string): readonly [number, number] {
  if (fingerprint === "") return [0, 0];
  const bytes = Buffer.from(fingerprint, "base64");
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
}
