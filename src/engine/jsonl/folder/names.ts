import { timestamp17 } from "../../../util/time.ts";

/**
 * File names of a store folder. A conversation is named by its creation time;
 * ids and keys never become part of a path.
 */
export const LOCK_FILE = "store.lock";
export const COUNTER_FILE = "store.changes";
export const MARKER_FILE = "store.json";
export const FEED_FILE = "store.feed";
/** Holds the last stem of a purged conversation. */
export const PURGED_FILE = "store.purged";
/** Holds the marks of purged conversations. */
export const MARKS_FILE = "store.marks";
/** Holds what is still to be done. */
export const JOBS_FILE = "store.jobs";
export const TRASH_FOLDER = "trash";
export const BLOB_FOLDER = "blobs";
export const PRESENCE_FOLDER = "alive";
/** Holds legacy files as they were before their migration. */
export const LEGACY_FOLDER = "legacy";

const STEM = /^(\d{17})\.(jsonl|meta\.json)$/;
const PURGE = /^(\d{17})\.purge$/;
const ASIDE = /^\d{17}\.(jsonl\.torn|jsonl\.bad|turn\.jsonl\.torn|meta\.json\.damaged)-/;

/** The conversation that a file name belongs to, or `undefined`. */
export function stemOf(name: string): string | undefined {
  return STEM.exec(name)?.[1];
}

/** The conversation whose purge a file name announces, or `undefined`. */
export function purgedStemOf(name: string): string | undefined {
  return PURGE.exec(name)?.[1];
}

const OWN_FOLDERS: ReadonlySet<string> = new Set([TRASH_FOLDER, BLOB_FOLDER, PRESENCE_FOLDER, LEGACY_FOLDER]);
const OWN = /^(\d{17}\.|store\.|\.)/;

/** Whether a name is one that a store uses. */
export function isOfStore(name: string): boolean {
  return OWN.test(name) || OWN_FOLDERS.has(name);
}

/** Whether a file was set aside because it was unreadable. */
export function isSetAside(name: string): boolean {
  return ASIDE.test(name);
}

export function logName(stem: string): string {
  return `${stem}.jsonl`;
}

export function metadataName(stem: string): string {
  return `${stem}.meta.json`;
}

export function journalName(stem: string): string {
  return `${stem}.turn.jsonl`;
}

export function leaseName(stem: string): string {
  return `${stem}.lease.json`;
}

export function purgeName(stem: string): string {
  return `${stem}.purge`;
}

/** The time that a stem encodes. */
export function stemMs(stem: string): number {
  const [year, month, day, hour, minute, second, ms] = [4, 2, 2, 2, 2, 2, 3].map((length, index, lengths) => {
    const start = lengths.slice(0, index).reduce((sum, one) => sum + one, 0);
    return Number(stem.slice(start, start + length));
  }) as [number, number, number, number, number, number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

/** The first free stem at or after a time. */
export function freeStem(nowMs: number, taken: (stem: string) => boolean): string {
  for (let ms = nowMs; ; ms++) {
    const stem = timestamp17(ms);
    if (!taken(stem)) return stem;
  }
}
