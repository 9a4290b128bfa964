import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../test/support/config-folder.ts";
import { until } from "../../../test/support/until.ts";
import type { ColloquyError } from "../../errors.ts";
import type { LoadedConfig } from "./config-build.ts";
import { type ConfigWatch, watchConfig } from "./watch.ts";

class Watching {
  readonly changes: LoadedConfig[] = [];
  readonly errors: ColloquyError[] = [];
  watch: ConfigWatch | undefined;

  async start(folder: TrialFolder): Promise<ConfigWatch> {
    this.watch = await watchConfig(
      { ...folder.options(), intervalMs: 10 },
      (config) => this.changes.push(config),
      (error) => this.errors.push(error),
    );
    return this.watch;
  }

  [Symbol.dispose](): void {
    this.watch?.close();
  }
}

const port = ({ value }: LoadedConfig): unknown => (value.gateway as { port: number }).port;

describe("watching the config", () => {
  it("reports changes, in includes too", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ $include: 'a.json5' }",
      "a.json5": "{ gateway: { port: 1 } }",
    });
    using watching = new Watching();
    const watch = await watching.start(folder);
    folder.write("a.json5", "{ gateway: { port: 22 } }");
    await until(() => watching.changes.length === 1);
    expect(watching.changes.map(port)).toEqual([22]);
    expect(port(watch.current)).toBe(22);
  });

  it("says nothing when only a comment changed", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ gateway: { port: 1 } }" });
    using watching = new Watching();
    await watching.start(folder);
    folder.write("colloquy.json", "{ gateway: { port: 1 } } // new");
    await sleep(150);
    expect([watching.changes, watching.errors]).toEqual([[], []]);
  });

  it("keeps the last good config when the new one is invalid, reports it once, and continues when it is fixed", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ gateway: { port: 1 } }" });
    using watching = new Watching();
    const watch = await watching.start(folder);
    folder.write("colloquy.json", "{ gateway: { port: 'x' } }");
    await until(() => watching.errors.length > 0);
    await sleep(100);
    expect(watching.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("colloquy.json:1:20: gateway.port must be an integer"),
    ]);
    expect(port(watch.current)).toBe(1);
    folder.write("colloquy.json", "{ gateway: { port: 3 } }");
    await until(() => watching.changes.length === 1);
    expect(port(watch.current)).toBe(3);
  });

  it("keeps the last good config when the file disappears", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ gateway: { port: 5 } }" });
    using watching = new Watching();
    const watch = await watching.start(folder);
    rmSync(folder.path("colloquy.json"));
    await until(() => watching.errors.length === 1);
    expect(watching.errors[0]?.message).toMatch(/no longer exists/);
    expect(port(watch.current)).toBe(5);
    folder.write("colloquy.json", "{ gateway: { port: 6 } }");
    await until(() => watching.changes.length === 1);
    expect(port(watch.current)).toBe(6);
  });

  it.each([
    [
      "an include that is not there yet",
      { "colloquy.json": "{ gateway: { $include: './g.json5' } }" },
      { "g.json5": "{ port: 2000 }" },
    ],
    [
      "a new include that cannot be parsed",
      { "g.json5": "{ port: }", "colloquy.json": "{ gateway: { $include: './g.json5' } }" },
      { "g.json5": "{ port: 2000 }" },
    ],
    [
      "a new patch with a wrong value",
      { "config.d/b.json5": "{ gateway: { port: 'x' } }" },
      { "config.d/b.json5": "{ gateway: { port: 2000 } }" },
    ],
  ])("continues when %s is fixed", async (_what, wrong, mended) => {
    using folder = new TrialFolder({
      "colloquy.json": "{ gateway: { port: 1 } }",
      "config.d/a.json5": "{}",
    });
    using watching = new Watching();
    const watch = await watching.start(folder);
    for (const [name, text] of Object.entries(wrong)) folder.write(name, text);
    await until(() => watching.errors.length > 0);
    await sleep(100);
    expect([watching.errors.length, port(watch.current)]).toEqual([1, 1]);
    for (const [name, text] of Object.entries(mended)) folder.write(name, text);
    await until(() => watching.changes.length === 1);
    expect(port(watch.current)).toBe(2000);
  });

  it("does not fall back to the config of an OpenClaw when its own disappears", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ gateway: { port: 5 } }" });
    mkdirSync(join(folder.home, ".openclaw"));
    writeFileSync(join(folder.home, ".openclaw", "openclaw.json"), "{ gateway: { port: 6666 } }");
    using watching = new Watching();
    const watch = await watching.start(folder);
    rmSync(folder.path("colloquy.json"));
    await until(() => watching.errors.length + watching.changes.length > 0);
    expect(watching.errors.map(({ message }) => message)).toEqual([
      `${folder.path("colloquy.json")} no longer exists; the last config stays in effect`,
    ]);
    expect([watching.changes, port(watch.current)]).toEqual([[], 5]);
    folder.write("colloquy.json", "{ gateway: { port: 7 } }");
    await until(() => watching.changes.length === 1);
  });

  it("does not start with a config that has errors, and stops when it is closed", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{" });
    using watching = new Watching();
    await expect(watching.start(folder)).rejects.toThrow(/no matching "}"/);
    folder.write("colloquy.json", "{}");
    (await watching.start(folder)).close();
    folder.write("colloquy.json", "{ ui: {} }");
    await sleep(100);
    expect(watching.changes).toEqual([]);
  });
});
