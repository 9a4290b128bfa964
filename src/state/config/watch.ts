import { asColloquyError, type ColloquyError, unavailable } from "../../errors.ts";
import { hasChanged } from "./cache.ts";
import type { ConfigOptions, Draft, LoadedConfig } from "./draft.ts";
import { loadDraft, loaded } from "./load.ts";

export interface WatchOptions extends ConfigOptions {
  /** How often the files are looked at. Default half a second. */
  readonly intervalMs?: number;
}

export interface ConfigWatch {
  /** The last good config. */
  readonly current: LoadedConfig;
  close(): void;
}

const INTERVAL_MS = 500;

/**
 * Load the config, and load it again whenever one of its files changes.
 *
 * A config that is wrong, or has vanished, is told to `onError` once and
 * changes nothing: the last good one stays in force. Files are looked at
 * from time to time rather than watched, because what the system tells about
 * them differs with every editor, file system and container.
 */
export async function watchConfig(
  options: WatchOptions,
  onChange: (config: LoadedConfig) => void,
  onError: (error: ColloquyError) => void,
): Promise<ConfigWatch> {
  const watch = new Watch(options, onChange, onError, await loadDraft(options));
  watch.start();
  return watch;
}

class Watch implements ConfigWatch {
  readonly #options: WatchOptions;
  readonly #onChange: (config: LoadedConfig) => void;
  readonly #onError: (error: ColloquyError) => void;
  #good: Draft;
  /** Of the last look, good or not: a wrong file is not read again until it changes. */
  #seen: Map<string, string>;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    options: WatchOptions,
    onChange: (config: LoadedConfig) => void,
    onError: (error: ColloquyError) => void,
    good: Draft,
  ) {
    this.#options = options;
    this.#onChange = onChange;
    this.#onError = onError;
    this.#good = good;
    this.#seen = new Map(good.stamps);
  }

  get current(): LoadedConfig {
    return loaded(this.#good);
  }

  start(): void {
    const { intervalMs = INTERVAL_MS } = this.#options;
    this.#timer = setTimeout(() => void this.#look(), intervalMs).unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { reads } = this.#good;
    if (hasChanged(this.#seen, reads)) {
      const seen = new Map([...this.#seen.keys()].map((path) => [path, reads.stamp(path)]));
      await this.#reload(seen);
    }
    if (!this.#closed) this.start();
  }

  async #reload(seen: Map<string, string>): Promise<void> {
    try {
      const draft = await loadDraft(this.#options);
      if (this.#closed) return;
      if (this.#good.exists && !draft.exists)
        throw unavailable(`${this.#good.file} is gone; the last config stays in force`);
      const before = this.#good;
      this.#good = draft;
      this.#seen = new Map(draft.stamps);
      if (differ(before, draft)) this.#onChange(loaded(draft));
    } catch (error) {
      this.#seen = seen;
      if (!this.#closed) this.#onError(asColloquyError(error, "Cannot load the config"));
    }
  }
}

function differ(before: Draft, after: Draft): boolean {
  const text = (draft: Draft): string => {
    const { value, file } = loaded(draft);
    return JSON.stringify([file, value, [...draft.added]]);
  };
  return text(before) !== text(after);
}
