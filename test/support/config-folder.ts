/** A state folder for tests, thrown away at the end. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ColloquyError } from "../../src/errors.ts";
import type { ConfigOptions, LoadedConfig } from "../../src/state/config/config-build.ts";
import { parsePath } from "../../src/state/config/config-path.ts";
import {
  type ChangeOptions,
  type ConfigChange,
  setConfig,
  unsetConfig,
} from "../../src/state/config/files/change.ts";
import { loadConfig } from "../../src/state/config/load.ts";
import type { Json } from "../../src/util/json.ts";

export class TrialFolder {
  readonly home: string = realpathSync(mkdtempSync(join(tmpdir(), "colloquy-config-")));
  readonly state: string = join(this.home, "state");

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.state, { mode: 0o700 });
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  path(...parts: string[]): string {
    return join(this.state, ...parts);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true, mode: 0o700 });
    writeFileSync(this.path(name), text, { mode: 0o600 });
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  options(more: Partial<ConfigOptions> = {}): ConfigOptions {
    return { stateDir: this.state, home: this.home, env: {}, ...more };
  }

  load(more: Partial<ConfigOptions> = {}): Promise<LoadedConfig> {
    return loadConfig(this.options(more));
  }

  /** Set a value at time 42, as version 1.2.3. */
  set(path: string, value: Json, more: Partial<ChangeOptions> = {}): Promise<ConfigChange> {
    return setConfig(this.#changeOptions(more), parsePath(path), value);
  }

  unset(path: string): Promise<ConfigChange> {
    return unsetConfig(this.#changeOptions(), parsePath(path));
  }

  #changeOptions(more: Partial<ChangeOptions> = {}): ChangeOptions {
    return { ...this.options(), version: "1.2.3", clock: () => 42, ...more };
  }

  /** The error that loading ends with. */
  async failure(more: Partial<ConfigOptions> = {}): Promise<ColloquyError> {
    try {
      await this.load(more);
    } catch (error) {
      if (error instanceof ColloquyError) return error;
      throw error;
    }
    throw new Error("did not fail");
  }

  [Symbol.dispose](): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
