import { invalid } from "../errors.ts";

/** Milliseconds since 1970. Injected where a test needs to control the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

const TIME_MAX = Date.UTC(9999, 11, 31);

/** A clock that throws instead of returning what is not a time. */
export function checkedClock(clock: Clock): Clock {
  return () => {
    const nowMs = clock();
    if (Number.isFinite(nowMs) && nowMs >= 0 && nowMs <= TIME_MAX) return Math.trunc(nowMs);
    throw invalid(`The clock returned ${nowMs}, which is not a time in milliseconds since 1970`, "clock");
  };
}

const DAY_MS = 86_400_000;
const LAST_DAY = Math.floor(TIME_MAX / DAY_MS);
const TWO: readonly string[] = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, "0"));
const THREE: readonly string[] = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, "0"));

let lastMs = Number.NaN;
let lastIso = "";
let lastDay = Number.NaN;
let lastDate = "";

/**
 * ISO 8601 with milliseconds.
 *
 * The date and the last result are cached: a page has hundreds of times, mostly
 * of one day, and a batch formats one instant many times.
 */
export function isoTime(ms: number): string {
  if (ms === lastMs) return lastIso;
  const day = Math.floor(ms / DAY_MS);
  if (day >= 0 && day <= LAST_DAY && Number.isInteger(ms)) {
    if (day !== lastDay) lastDate = new Date(day * DAY_MS).toISOString().slice(0, 11);
    lastDay = day;
    const second = Math.floor(ms / 1000) % 86_400;
    const minute = Math.floor(second / 60);
    lastIso = `${lastDate}${TWO[Math.floor(minute / 60)]}:${TWO[minute % 60]}:${TWO[second % 60]}.${THREE[ms % 1000]}Z`;
  } else {
    lastIso = new Date(ms).toISOString();
  }
  lastMs = ms;
  return lastIso;
}

let lastParsed = "";
let lastParsedMs = Number.NaN;

/** The milliseconds of a time that `isoTime` returned. */
export function timeOf(iso: string): number {
  if (iso !== lastParsed) {
    lastParsedMs = Date.parse(iso);
    lastParsed = iso;
  }
  return lastParsedMs;
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** The milliseconds of an ISO 8601 time with a zone, or `undefined` if the value is not one. */
export function parseTime(text: unknown): number | undefined {
  if (typeof text !== "string" || !ISO_8601.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** `YYYYMMDDhhmmssmmm` in UTC. A string, because the number exceeds 2^53. */
export function timestamp17(ms: number): string {
  return isoTime(ms).replace(/\D/g, "").slice(0, 17);
}
