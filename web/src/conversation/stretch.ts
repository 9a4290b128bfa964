/** A stretch of a branch that is loaded already, read once more. */
import type { ListOf } from "../../../src/gateway/wire/rest.ts";
import type { Entry } from "../../../src/message/types.ts";
import type { EntriesQuery } from "./requests.ts";

export interface Stretch {
  readonly entries: readonly Entry[];
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
}

/** As many entries from the same first one, or up to the end if the end was loaded. */
export async function readStretch(
  { entries: { length, 1: second }, hasBefore, hasAfter }: Stretch,
  page: number,
  read: (query: EntriesQuery) => Promise<ListOf<Entry>>,
): Promise<Stretch> {
  const entries = hasBefore ? [...(await read({ before: second?.id ?? "", limit: 1 })).items] : [];
  for (;;) {
    const last = entries.at(-1);
    const limit = hasAfter ? Math.min(page, length - entries.length) : page;
    const { items, cursor } = await read({ limit, ...(last && { after: last.id }) });
    entries.push(...items);
    if (cursor === null || items.length === 0) return { entries, hasBefore, hasAfter: false };
    if (hasAfter && entries.length >= length) return { entries, hasBefore, hasAfter };
  }
}

/** A page that was read before something was stored must not replace what an event brought meanwhile. */
export function withArrived(read: readonly Entry[], arrived: readonly Entry[]): readonly Entry[] {
  const known = new Set(read.map(({ id }) => id));
  const all = [...read];
  for (const entry of arrived)
    if (!known.has(entry.id) && entry.parentId === (all.at(-1)?.id ?? null)) all.push(entry);
  return all;
}

/** Whether what was asked for is not in the conversation, or not any more. */
export function isGone(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "NOT_FOUND";
}
