import { bytesText } from "../../util/bytes-text.ts";
import type { Call } from "../command.ts";

type Stream = Pick<NodeJS.WriteStream, "isTTY" | "write" | "columns">;

/** One line on a terminal that is overwritten while work is under way. */
export interface StatusLine {
  /** Ignored when the last one was shown a moment ago. */
  show(text: string): void;
  clear(): void;
}

const REFRESH_MS = 100;
const TICK_MS = 1000;
const BAR_WIDTH = 20;
const COLUMNS_DEFAULT = 80;
const CLEAR_LINE = "\r\u001b[K";
const HIDDEN: StatusLine = { show: () => {}, clear: () => {} };

/** Shown on a terminal only, so that the output for programs stays clean. */
export function statusLine(
  { json }: Pick<Call, "json">,
  stream: Stream = process.stderr,
  now: () => number = Date.now,
): StatusLine {
  if (json || !stream.isTTY || process.env.TERM === "dumb") return HIDDEN;
  let shownMs = 0;
  return {
    show: (text) => {
      if (now() - shownMs < REFRESH_MS) return;
      shownMs = now();
      stream.write(`${CLEAR_LINE}${text.slice(0, (stream.columns || COLUMNS_DEFAULT) - 1)}`);
    },
    clear: () => {
      if (shownMs > 0) stream.write(CLEAR_LINE);
      shownMs = 0;
    },
  };
}

/** Show the current step and its duration until the work ends. */
export async function withProgress<T>(
  call: Pick<Call, "json">,
  what: string,
  work: () => Promise<T>,
  stream: Stream = process.stderr,
): Promise<T> {
  const line = statusLine(call, stream);
  const startedMs = Date.now();
  // At once: an engine may block the thread for longer than any timer would wait.
  line.show(`${what} …`);
  const tick = (): void => line.show(`${what} … ${Math.round((Date.now() - startedMs) / 1000)} s`);
  const timer = setInterval(tick, TICK_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    line.clear();
  }
}

/** "██████░░░░  60 % · 25.0 MB/s · 2 s left" */
export function barText(done: number, total: number, seconds: number): string {
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
