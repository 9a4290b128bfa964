import { asColloquyError, type ColloquyError, invalid, unavailable } from "../../errors.ts";
import { hasChanged } from "./cache.ts";
import type { ConfigBuild, ConfigOptions, LoadedConfig } from "./config-build.ts";
import { isGone, loadBuild, loaded, tryLoad } from "./load.ts";

export interface WatchOptions extends ConfigOptions {
  /** How often the files are checked. Default 500. */
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
 * A config that has errors or has disappeared is passed to `onError` once, and
 * the last good one stays in effect. Files are polled and not watched, because
 * change events differ between editors, file systems and containers.
 */
export async function watchConfig(
  options: WatchOptions,
  onChange: (config: LoadedConfig) => void,
  onError: (error: ColloquyError) => void,
): Promise<ConfigWatch> {
  for (const [field, call] of Object.entries({ onChange, onError })) {
    if (typeof call !== "function") throw invalid(`${field} must be a function`, field);
  }
  const watch = new Watch(options, onChange, onError, await loadBuild(options));
  watch.start();
  return watch;
}

class Watch implements ConfigWatch {
  readonly #options: WatchOptions;
  readonly #onChange: (config: LoadedConfig) => void;
  readonly #onError: (error: ColloquyError) => void;
  #good: ConfigBuild;
  /** The stamps of the last load, good or not: a file with errors is not read again until it changes. */
  #seen: Map<string, string>;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    options: WatchOptions,
    onChange: (config: LoadedConfig) => void,
    onError: (error: ColloquyError) => void,
    good: ConfigBuild,
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
    const before = this.#good;
    const { build, failure } = await tryLoad(this.#options);
    if (this.#closed) return;
    const gone = isGone(before, build);
    this.#seen = gone ? seen : failure === undefined ? new Map(build.stamps) : union(seen, build.stamps);
    try {
      if (gone) throw unavailable(`${before.file} no longer exists; the last config stays in effect`);
      if (failure !== undefined) throw failure.error;
      this.#good = build;
      if (differ(before, build)) this.#onChange(loaded(build));
    } catch (error) {
      this.#onError(asColloquyError(error, "Cannot load the config"));
    }
  }
}

/** The files of the last good config and those of the failed one: a change of any may repair it. */
function union(seen: Map<string, string>, failed: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...seen, ...failed]);
}

function differ(before: ConfigBuild, after: ConfigBuild): boolean {
  const text = (build: ConfigBuild): string => {
    const { value, file } = loaded(build);
    return JSON.stringify([file, value, [...build.added]]);
  };
  return text(before) !== text(after);
}
