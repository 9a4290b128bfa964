import type { JSX } from "preact";
import { Cell, useCell } from "../../state/cell.ts";
import { relativeTime } from "./relative-time.ts";

const LOOK_MS = 30_000;

/** Now, to the minute. One timer serves every time on the page. */
const now = new Cell(Date.now());
setInterval(() => now.set(Date.now()), LOOK_MS);

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });

export function exactTime(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time) ? at : exact.format(time);
}

/** Exact on hover. */
export function RelativeTime({ at }: { readonly at: string }): JSX.Element {
  const reference = useCell(now);
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={exactTime(at)} class="number">
      {Number.isNaN(time) ? at : relativeTime(time, Math.max(reference, time))}
    </time>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** `14:05`, for times that are near. */
export function timeOfDay(at: string): string {
  return clock.format(Date.parse(at));
}

/** `0.4 s`, `12 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
