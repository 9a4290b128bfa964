import { type FSWatcher, realpathSync, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A busy writer is read this often at most, not once for every commit. */
const PAUSE_MIN_MS = 2;
/** The fallback for what no event announces. */
const PAUSE_MAX_MS = 500;
/** The same where the system reports no events. */
const DEAF_PAUSE_MAX_MS = 20;
/** A change that is found so long after the last event was not announced. */
const DEAF_AFTER_MS = 1000;

/**
 * Tells those that wait for changes of a store when to look: after a commit of
 * this process, and when files of the store change.
 *
 * Only the folder is watched. A descriptor of a file of the store must not be
 * closed by other code than the engine, because that would release its locks.
 */
export class Wakes {
  readonly #location: string | null;
  readonly #listeners = new Set<Listener>();
  #watcher: FSWatcher | undefined;
  #eventMs = 0;
  #deaf = false;

  constructor(location: string | null) {
    this.#location = location;
  }

  /** Dispose of it, because files are watched until then. */
  listen(): Listener {
    if (this.#listeners.size === 0) this.#watch();
    const listener = new Listener(this);
    this.#listeners.add(listener);
    return listener;
  }

  wake(): void {
    for (const listener of this.#listeners) listener.wake();
  }

  /** Watch nothing any more, and let all that wait look once more. */
  close(): void {
    this.wake();
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** @internal */
  leave(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.close();
  }

  /** @internal */
  get pauseMaxMs(): number {
    return this.#deaf ? DEAF_PAUSE_MAX_MS : PAUSE_MAX_MS;
  }

  /** @internal There are file systems that report no changes of other processes. */
  foundByChance(): void {
    if (performance.now() - this.#eventMs > DEAF_AFTER_MS) this.#deaf = true;
  }

  #watch(): void {
    // Without files, every change is a commit of this store.
    if (this.#location === null) return;
    this.#eventMs = performance.now();
    try {
      // The files beside a database are beside the file that a link leads to.
      const path = realpathSync(this.#location);
      const isFolder = statSync(path).isDirectory();
      const names = isFolder ? "" : basename(path);
      this.#watcher = watch(isFolder ? path : dirname(path), { persistent: false }, (_, name) => {
        if (name === null || name.startsWith(names)) this.#heard();
      });
      this.#watcher.on("error", () => {
        this.#deaf = true;
      });
      this.#deaf = false;
    } catch {
      this.#deaf = true;
    }
  }

  #heard(): void {
    this.#eventMs = performance.now();
    this.#deaf = false;
    this.wake();
  }
}

/** One that waits for changes. */
export class Listener implements Disposable {
  readonly #wakes: Wakes;
  #pauseMs = PAUSE_MIN_MS;
  #isWoken = false;
  #hasPaused = false;
  #endPause: (() => void) | undefined;

  constructor(wakes: Wakes) {
    this.#wakes = wakes;
  }

  wake(): void {
    this.#isWoken = true;
    this.#endPause?.();
  }

  /**
   * Resolves when it is time to look again. An event comes before the commit
   * that it announces is complete, so several looks follow it, ever more slowly.
   */
  async pause(signal?: AbortSignal): Promise<void> {
    await sleep(PAUSE_MIN_MS);
    if (!this.#isWoken) await this.#silence(this.#pauseMs, signal);
    const { pauseMaxMs } = this.#wakes;
    this.#pauseMs = this.#isWoken ? PAUSE_MIN_MS : Math.min(this.#pauseMs * 2, pauseMaxMs);
    this.#isWoken = false;
    this.#hasPaused = true;
  }

  /** The last look found something, so more may follow soon. */
  found(): void {
    if (this.#hasPaused) this.#wakes.foundByChance();
    this.#pauseMs = PAUSE_MIN_MS;
  }

  [Symbol.dispose](): void {
    this.#wakes.leave(this);
  }

  #silence(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        this.#endPause = undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#endPause = end;
      signal?.addEventListener("abort", end);
      if (signal?.aborted) end();
    });
  }
}
