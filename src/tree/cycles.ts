/** Entries that follow each other in a circle, by the parents that they name. */
export function entriesInCycles(parents: ReadonlyMap<string, string | null>): ReadonlySet<string> {
  const circular = new Set<string>();
  /** The walk that came to an entry first. */
  const walks = new Map<string, string>();
  for (const start of parents.keys()) {
    let at: string | null | undefined = start;
    while (typeof at === "string" && parents.has(at) && !walks.has(at)) {
      walks.set(at, start);
      at = parents.get(at);
    }
    // The walk met itself: everything from here on, back to here, is a circle.
    while (typeof at === "string" && walks.get(at) === start && !circular.has(at)) {
      circular.add(at);
      at = parents.get(at);
    }
  }
  return circular;
}

/** How an entry and its parent relate if the parent does not precede it. */
export type OddParent = "dangling-parent" | "late-parent" | "cycle";

/** Says what is wrong with an entry, for a finding. */
export function oddParentText(code: OddParent, id: string, parentId: string): string {
  if (id === parentId) return "follows itself";
  if (code === "cycle") return `follows ${parentId}, which leads back to it`;
  return code === "late-parent"
    ? `follows ${parentId}, which comes after it`
    : `follows ${parentId}, which does not exist or cannot be read`;
}
