/** How many items of an ascending list have a key of at most `key`. */
export function countUpTo<T>(
  list: Pick<readonly T[], "length" | "at">,
  key: number,
  keyOf: (item: T) => number,
): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyOf(list.at(middle) as T) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
