const CHARS_MIN = 8;

/** The start of each id that no other one of them has, long enough to refer to it. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = ids.toSorted();
  return new Map(
    sorted.map((id, index) => {
      const neighbours = [sorted[index - 1] ?? "", sorted[index + 1] ?? ""];
      const shared = Math.max(...neighbours.map((other) => sharedStart(id, other)));
      return [id, id.slice(0, Math.max(CHARS_MIN, shared + 1))];
    }),
  );
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
