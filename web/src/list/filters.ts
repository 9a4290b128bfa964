/** What the list is narrowed down to. */
import { Cell } from "../state/cell.ts";

export type Days = 1 | 7 | 30 | 365;

export interface Filters {
  readonly channel: string | null;
  readonly model: string | null;
  /** Used in the last so many days. */
  readonly days: Days | null;
  /** Of messages: `active` only those on the branch that is checked out. Of conversations: those with branches. */
  readonly branch: "active" | "forked" | null;
}

const NONE: Filters = { channel: null, model: null, days: null, branch: null };
const DAY_MS = 86_400_000;

export const filters = new Cell<Filters>(NONE);
export const query = new Cell("");

export function setFilter(change: Partial<Filters>): void {
  filters.update((old) => ({ ...old, ...change }));
}

export function clearFilters(): void {
  filters.set(NONE);
}

export function isFiltered({ channel, model, days, branch }: Filters): boolean {
  return channel !== null || model !== null || days !== null || branch !== null;
}

/** The beginning of the day that was `days` before today, where the viewer is. */
export function sinceOf(days: Days | null): string | undefined {
  if (days === null) return undefined;
  const day = new Date(Date.now() - (days - 1) * DAY_MS);
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}
