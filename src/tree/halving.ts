/** How many items of an ascending list lie at a place or before it, found by halving. */
export function countUpTo<T>(
  list: Pick<readonly T[], "length" | "at">,
  place: number,
  placeOf: (item: T) => number,
): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeOf(list.at(middle) as T) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}
