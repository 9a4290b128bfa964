import { bytesText } from "../../util/bytes-text.ts";
import type { Call } from "../command.ts";

type Stream = Pick<NodeJS.WriteStream, "isTTY" | "write" | "columns">;

export interface ProgressBar {
  show(done: number, total: number, what: string): void;
  clear(): void;
}

const TICK_MS = 100;
const BAR_WIDTH = 20;
const NOTHING: ProgressBar = { show: () => {}, clear: () => {} };

/** How far long work is, how fast it goes and how long it will take, for a person who waits. */
export function progressBar(
  { json }: Pick<Call, "json">,
  verb: string,
  stream: Stream = process.stderr,
  now: () => number = Date.now,
): ProgressBar {
  if (json || !stream.isTTY || process.env.TERM === "dumb") return NOTHING;
  const startedMs = now();
  let shownMs = 0;
  return {
    show: (done, total, what) => {
      const nowMs = now();
      if (nowMs - shownMs < TICK_MS) return;
      shownMs = nowMs;
      const line = `${verb} ${progressText(done, total, (nowMs - startedMs) / 1000)} · ${what}`;
      stream.write(`\r\u001b[K${line.slice(0, (stream.columns || 80) - 1)}`);
    },
    clear: () => {
      if (shownMs > 0) stream.write("\r\u001b[K");
      shownMs = 0;
    },
  };
}

export function progressText(done: number, total: number, seconds: number): string {
  const share = total === 0 ? 0 : Math.min(1, done / total);
  const filled = Math.round(share * BAR_WIDTH);
  const bar = `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)}`;
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  if (seconds < 1 || done === 0) return `${bar} ${percent}`;
  const rate = done / seconds;
  const left = Math.max(0, total - done) / rate;
  return `${bar} ${percent} · ${bytesText(rate)}/s · ${durationText(left)} left`;
}

function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
