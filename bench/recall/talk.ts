/** Texts with the frequencies of real ones: few words make up half of them, most words are rare. The same in every run. */

/** In the order of their frequency. */
const COMMON =
  "the of and to a in is i that it you for was on with be he as have this at not are but from by or had we they " +
  "she his an my what your all there if would about which do will so their me can when her has who just out no " +
  "how been them more one up him were our could these other its then now than into some only time work people " +
  "year day thing way man world life hand part child eye place week case point company number group problem fact";
const VOCABULARY = 200_000;
const CONSONANTS = "bcdfghjklmnpqrstvwz";
const VOWELS = "aeiou";

export class Talk {
  readonly #words: string[] = COMMON.split(" ");
  readonly #ranks: ReadonlyMap<string, number>;
  #seed: number;

  constructor(seed = 42) {
    this.#seed = seed;
    const known = new Set(this.#words);
    while (this.#words.length < VOCABULARY) {
      const word = this.#newWord(3 + this.below(8));
      if (known.has(word)) continue;
      known.add(word);
      this.#words.push(word);
    }
    this.#ranks = new Map(this.#words.map((one, rank) => [one, rank]));
  }

  #newWord(length: number): string {
    let word = "";
    while (word.length < length) {
      word += CONSONANTS.charAt(this.below(CONSONANTS.length)) + VOWELS.charAt(this.below(VOWELS.length));
    }
    return word.slice(0, length);
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  /** The word of this rank; 0 is the most frequent. */
  ranked(rank: number): string {
    return this.#words[rank] as string;
  }

  /** The rarest word of a text: one that occurs. */
  rarestOf(text: string): string {
    const rankOf = (word: string): number => this.#ranks.get(word) ?? 0;
    return text.split(" ").reduce((rarest, word) => (rankOf(word) > rankOf(rarest) ? word : rarest));
  }

  #word(): string {
    const rank = Math.exp((this.below(1_000_000) / 1_000_000) * Math.log(VOCABULARY)) - 1;
    return this.#words[Math.min(VOCABULARY - 1, Math.floor(rank))] as string;
  }

  /** From 10 to 180 words. */
  text(): string {
    return Array.from({ length: 10 + this.below(171) }, () => this.#word()).join(" ");
  }
}
