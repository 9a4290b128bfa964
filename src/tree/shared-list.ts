/**
 * An immutable list that shares its items with the lists made from it by `plus`, so that adding
 * an item takes constant time. A shorter list never sees the items that a longer one added.
 */
export class SharedList<T> {
  readonly length: number;
  /** May be longer than `length`: a later list has added to it. */
  readonly #items: T[];
  readonly #same: (a: T, b: T) => boolean;
  #own: readonly T[] | undefined;

  /** Takes ownership of `items`. */
  constructor(items: T[], same: (a: T, b: T) => boolean, length: number = items.length) {
    this.#items = items;
    this.#same = same;
    this.length = length;
  }

  plus(item: T): SharedList<T> {
    const { length } = this;
    let items = this.#items;
    if (items.length === length) items.push(item);
    // Another list was made from this one. An append that is planned and then written adds the same item
    // twice; after a refused append the items differ, and the lists part.
    else if (!this.#same(items[length] as T, item)) items = [...items.slice(0, length), item];
    return new SharedList(items, this.#same, length + 1);
  }

  at(index: number): T | undefined {
    const found = index < 0 ? this.length + index : index;
    return found < this.length ? this.#items[found] : undefined;
  }

  /** A copy that no later list adds to. */
  get own(): readonly T[] {
    this.#own ??= this.#items.slice(0, this.length);
    return this.#own;
  }
}
