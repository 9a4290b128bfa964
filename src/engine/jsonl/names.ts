import { timestamp17 } from "../../util/time.ts";

/**
 * File names of a store folder. Conversations are named by when they were
 * made; ids and keys never become part of a path.
 */
export const LOCK_FILE = "store.lock";
export const COUNTER_FILE = "store.changes";
export const MARKER_FILE = "store.json";
export const TRASH_FOLDER = "trash";

const STEM = /^(\d{17})\.(jsonl|meta\.json)$/;

/** The conversation that a file name belongs to, or `undefined`. */
export function stemOf(name: string): string | undefined {
  return STEM.exec(name)?.[1];
}

export function logName(stem: string): string {
  return `${stem}.jsonl`;
}

export function metadataName(stem: string): string {
  return `${stem}.meta.json`;
}

/** The first free name at or after a time. */
export function freeStem(nowMs: number, taken: (stem: string) => boolean): string {
  for (let ms = nowMs; ; ms++) {
    const stem = timestamp17(ms);
    if (!taken(stem)) return stem;
  }
}
