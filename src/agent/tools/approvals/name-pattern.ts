/** Whether a name matches a pattern, in which `*` is any text. */
export function matchesName(pattern: string, name: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return name.length - from >= last.length && name.endsWith(last);
}

/** How much a pattern says: a plain name more than any pattern, a longer pattern more than a shorter one. */
export function weightOf(pattern: string): number {
  return pattern.includes("*") ? pattern.replaceAll("*", "").length : Number.POSITIVE_INFINITY;
}
