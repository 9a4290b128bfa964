/** Text that looks like talk and code, the same in every run. */
const WORDS =
  "the a file test error branch store line conversation entry message reader writer when because after before " +
  "should could would return const await import function value index path folder change commit review build " +
  "fails passes slow fast memory disk lock queue batch number string object list check read write open close " +
  "naïve café über größe 日本語 проверка";
const POOL_CHARS = 4 * 1024 * 1024;

export class Words {
  readonly #pool: string;
  #seed: number;

  constructor(seed = 42) {
    this.#seed = seed;
    const words = WORDS.split(" ");
    const parts: string[] = [];
    for (let chars = 0; chars < POOL_CHARS; ) {
      const word = words[this.below(words.length)] as string;
      parts.push(this.below(12) === 0 ? `${word}.\n` : `${word} `);
      chars += word.length + 1;
    }
    this.#pool = parts.join("");
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#seed / 2 ** 32) * limit);
  }

  /** About this many characters; most texts are shorter, some are much longer. */
  text(chars: number): string {
    const length = Math.max(12, Math.round(chars * (0.3 + (this.below(100) / 60) ** 2 / 2)));
    const start = this.below(this.#pool.length - length - 1);
    return this.#pool.slice(start, start + length);
  }

  hex(digits: number): string {
    let text = "";
    while (text.length < digits) text += this.below(0x1000000).toString(16).padStart(6, "0");
    return text.slice(0, digits);
  }

  uuid(): string {
    const hex = this.hex(32);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
