import { asColloquyError, type ColloquyError } from "../errors.ts";
import type { IndexReport } from "./files/indexer.ts";

export interface MemoryWatchOptions {
  /** How often the files are checked. By default every 2 s. */
  readonly intervalMs?: number;
  /** After a check that changed something. */
  readonly onChange?: (report: IndexReport) => void;
  readonly onError?: (error: ColloquyError) => void;
}

export interface MemoryWatch {
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const INTERVAL_MS = 2000;

/**
 * Index again and again. Files are polled and not watched, because change
 * events differ between editors, file systems and containers; a file that is
 * the same is only looked at, not read.
 */
export function watch(index: () => Promise<IndexReport>, options: MemoryWatchOptions): MemoryWatch {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const check = async (): Promise<void> => {
    try {
      const report = await index();
      if (!isClosed && report.added + report.removed > 0) options.onChange?.(report);
    } catch (error) {
      if (!isClosed) options.onError?.(asColloquyError(error, "Memory cannot be updated"));
    }
    if (!isClosed) schedule(options.intervalMs ?? INTERVAL_MS);
  };
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      running = check();
    }, ms).unref();
  };
  schedule(0);
  const close = async (): Promise<void> => {
    isClosed = true;
    clearTimeout(timer);
    await running;
  };
  return { close, [Symbol.asyncDispose]: close };
}
