/** Goes on importing while tools write. */
import { type FSWatcher, watch } from "node:fs";
import { ColloquyError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import type { ImportReport } from "./report.ts";
import { type ImportOptions, importConversations } from "./run.ts";

export interface WatchOptions extends Omit<ImportOptions, "dryRun" | "verify"> {
  readonly signal: AbortSignal;
  /** After each pass that found something, and after the first. */
  readonly onPass: (report: ImportReport) => void;
  /** Look at everything so often, whatever the system tells of changes. Default 60 s. */
  readonly intervalMs?: number;
}

/** Writes come in bursts: one look for all of them. */
const GATHER_MS = 500;
/** An answer that was written to within this time may go on: its last message is left until then. */
const SETTLE_MS = 15_000;
const INTERVAL_MS = 60_000;

/** Ends when the signal says so. A source that disappears takes nothing with it. */
export async function watchConversations(
  store: Store,
  paths: readonly string[],
  options: WatchOptions,
): Promise<void> {
  const { signal, onPass, intervalMs = INTERVAL_MS, ...rest } = options;
  const alarm = new Alarm();
  const watchers = paths.flatMap((path) => watcherOf(path, () => alarm.ring()));
  signal.addEventListener("abort", () => alarm.ring(), { once: true });
  try {
    for (let first = true; !signal.aborted; first = false) {
      const report = await pass(store, paths, { ...rest, signal, settleMs: SETTLE_MS });
      if (report !== undefined && (first || isNews(report))) onPass(report);
      await alarm.wait(report?.pending === 0 ? intervalMs : Math.min(intervalMs, SETTLE_MS));
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

/** `undefined` while another import has its turn. */
async function pass(
  store: Store,
  paths: readonly string[],
  options: ImportOptions,
): Promise<ImportReport | undefined> {
  try {
    return await importConversations(store, paths, options);
  } catch (error) {
    if (error instanceof ColloquyError && error.details?.reason === "import-running") return undefined;
    throw error;
  }
}

function isNews({ messages, branches }: ImportReport): boolean {
  return messages > 0 || branches > 0;
}

/** Without it the regular look is enough. */
function watcherOf(path: string, onChange: () => void): FSWatcher[] {
  try {
    const watcher = watch(path, { recursive: true }, onChange);
    watcher.on("error", () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}

/** Something to wait for that may have happened already. */
class Alarm {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  async wait(timeoutMs: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#rung = false;
  }
}
