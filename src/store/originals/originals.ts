/** The originals of a conversation, as its entries announce them. */
import type { StoreAccess } from "../access.ts";
import { type Announcement, announcementIn, isAnnouncement, type Segment } from "./announcement.ts";

const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 8 * 1024 * 1024;

/** An announcement in the store. */
export interface StoredAnnouncement extends Announcement {
  readonly entry: string;
}

export interface Original extends Pick<Announcement, "file" | "form" | "size" | "after"> {
  readonly number: number;
  /** In order. The last one with the same `first` counts. */
  readonly announcements: readonly StoredAnnouncement[];
  /** Entries of announcements that others replaced, and that a killed process has left. */
  readonly replaced: readonly string[];
}

/** All announcements of a conversation that were not erased, in the order of the log. */
async function* announcementsOf(
  store: Pick<StoreAccess, "ask">,
  conversation: string,
  fromTrash: boolean,
): AsyncGenerator<StoredAnnouncement, void, undefined> {
  for (let from: number | null = null, more = true; more; ) {
    const page = await store.ask((engine) =>
      engine.page({
        ...{ conversation, direction: "forward", from, kind: "info", branch: null },
        ...{ limit: PAGE_ENTRIES, bytesMax: PAGE_BYTES, asStored: fromTrash },
      }),
    );
    for (const { id, kind, data } of page.entries) {
      const found = isAnnouncement(kind, data) ? announcementIn(data) : undefined;
      if (found !== undefined) yield { ...found, entry: id };
    }
    from = page.entries.at(-1)?.seq ?? from;
    more = page.more && page.entries.length > 0;
  }
}

export async function originalsOf(
  store: Pick<StoreAccess, "ask">,
  conversation: string,
  fromTrash: boolean = false,
): Promise<Original[]> {
  return gathered(await Array.fromAsync(announcementsOf(store, conversation, fromTrash)));
}

function gathered(announcements: Iterable<StoredAnnouncement>): Original[] {
  const byNumber = new Map<number, Map<number, StoredAnnouncement>>();
  const replacedOf = new Map<number, string[]>();
  for (const announcement of announcements) {
    const { original, first } = announcement;
    const own = byNumber.get(original) ?? new Map<number, StoredAnnouncement>();
    const former = own.get(first);
    if (former !== undefined) replacedOf.set(original, [...(replacedOf.get(original) ?? []), former.entry]);
    byNumber.set(original, own.set(first, announcement));
  }
  return [...byNumber]
    .sort(([a], [b]) => a - b)
    .map(([number, own]) => {
      const announcements = [...own.values()].sort((a, b) => a.first - b.first);
      const [{ file, form, after } = NONE] = announcements;
      const replaced = replacedOf.get(number) ?? [];
      return { number, file, form, after, size: announcements.at(-1)?.size, announcements, replaced };
    });
}

const NONE: Pick<Announcement, "file" | "form" | "after"> = { file: "", form: "lines", after: undefined };

/** All segments of an original in order, with those that it shares with another. `undefined`: it is missing. */
export function segmentsOf(
  { announcements, after }: Original,
  all: readonly Original[],
  depth: number = all.length,
): (Segment | undefined)[] {
  const base = after && depth > 0 ? all.find(({ number }) => number === after.original) : undefined;
  const shared = base === undefined ? [] : segmentsOf(base, all, depth - 1).slice(0, after?.segments);
  const segments: (Segment | undefined)[] = shared;
  for (const { first, segments: some } of announcements) {
    while (segments.length < first) segments.push(undefined);
    segments.push(...some);
  }
  return segments;
}
