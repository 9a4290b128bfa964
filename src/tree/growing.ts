/**
 * A list to which items are only added. What is made of it shares its items, so one more costs the same
 * however many there are; whoever holds the shorter list sees no more than it had.
 */
export class Growing<T> {
  readonly length: number;
  /** May be longer: a later list has added to it. */
  readonly #items: T[];
  readonly #same: (a: T, b: T) => boolean;
  #own: readonly T[] | undefined;

  /** `items` belongs to this list from now on. */
  constructor(items: T[], same: (a: T, b: T) => boolean, length: number = items.length) {
    this.#items = items;
    this.#same = same;
    this.length = length;
  }

  plus(item: T): Growing<T> {
    const { length } = this;
    let items = this.#items;
    if (items.length === length) items.push(item);
    // Another list went on from here already. An append that is planned and then written adds the same twice;
    // after one that was refused the ways part.
    else if (!this.#same(items[length] as T, item)) items = [...items.slice(0, length), item];
    return new Growing(items, this.#same, length + 1);
  }

  at(index: number): T | undefined {
    const place = index < 0 ? this.length + index : index;
    return place < this.length ? this.#items[place] : undefined;
  }

  /** As an array, which nobody adds to. */
  get own(): readonly T[] {
    this.#own ??= this.#items.slice(0, this.length);
    return this.#own;
  }
}
