/** Milliseconds since 1970. Injected where a test wants to own the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

let lastMs = Number.NaN;
let lastIso = "";

/** ISO 8601 with milliseconds. The last result is kept: a batch asks for one instant many times. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastIso;
}

/** The milliseconds of an ISO 8601 time, or `undefined` when it is none. */
export function parseTime(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** `YYYYMMDDhhmmssmmm` in UTC. Text, because the number exceeds 2^53. */
export function timestamp17(ms: number): string {
  return isoTime(ms).replace(/\D/g, "").slice(0, 17);
}
