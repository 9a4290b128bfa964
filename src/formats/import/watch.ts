/** Keeps importing while tools write. */

import { existsSync, type FSWatcher, watch } from "node:fs";
import { ColloquyError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import { checkMethod, checkObject, checkStrings } from "../../util/checked-arguments.ts";
import type { ImportReport } from "./report.ts";
import { type ImportOptions, importConversations } from "./run.ts";

export interface WatchOptions extends Omit<ImportOptions, "dryRun" | "verify"> {
  readonly signal: AbortSignal;
  /** After each pass that found something, and after the first that no other import prevented. */
  readonly onPass: (report: ImportReport) => void;
  /** The interval of full passes, in case the system misses changes. Default 60 s. */
  readonly intervalMs?: number;
}

/** Writes come in bursts, which one pass should cover. */
const GATHER_MS = 500;
/** A file that changed within this time may hold an unfinished answer, which is left for a later pass. */
const SETTLE_MS = 15_000;
const INTERVAL_MS = 60_000;

/**
 * Runs until the signal aborts. A place that does not exist is imported once it does, because a tool makes its folder
 * when it is first used. Nothing is removed when a source disappears.
 */
export async function watchConversations(
  store: Store,
  paths: readonly string[],
  options: WatchOptions,
): Promise<void> {
  checkMethod(store, "ingest", "store");
  checkStrings(paths, "paths");
  checkObject(options, "options");
  checkMethod(options.signal, "addEventListener", "signal");
  const { signal, onPass, intervalMs = INTERVAL_MS, ...rest } = options;
  const alarm = new Alarm();
  const watchers = new Watchers(() => alarm.ring());
  signal.addEventListener("abort", () => alarm.ring(), { once: true });
  try {
    let isFirst = true;
    let pending = 0;
    while (!signal.aborted) {
      // What is deleted from now on stays deleted.
      const again = rest.again === true && isFirst;
      const there = paths.filter((path) => existsSync(path));
      watchers.follow(there);
      const report = await pass(store, there, { ...rest, again, signal, settleMs: SETTLE_MS });
      if (report !== undefined && (isFirst || isNews(report))) onPass(report);
      isFirst &&= report === undefined;
      // What was pending before is not about to be complete: a torn line, or a session without a message.
      const isSettled = report !== undefined && (report.pending === 0 || report.pending === pending);
      pending = report?.pending ?? pending;
      await alarm.wait(isSettled ? intervalMs : Math.min(intervalMs, SETTLE_MS));
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
  } finally {
    watchers.follow([]);
  }
}

/** `undefined` while another import is running. */
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

/** Of the places that exist. One that is made again is watched again. */
class Watchers {
  readonly #onChange: () => void;
  readonly #open: Map<string, FSWatcher | undefined> = new Map();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  follow(paths: readonly string[]): void {
    for (const [path, watcher] of this.#open) {
      if (paths.includes(path)) continue;
      watcher?.close();
      this.#open.delete(path);
    }
    for (const path of paths) if (!this.#open.has(path)) this.#open.set(path, this.#watch(path));
  }

  /** Without a watcher the regular passes are enough. */
  #watch(path: string): FSWatcher | undefined {
    try {
      const watcher = watch(path, { recursive: true }, this.#onChange);
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  }
}

/** A signal that can be awaited and that remembers whether it was raised before. */
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
