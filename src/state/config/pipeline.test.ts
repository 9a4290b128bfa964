import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../test/support/config-folder.ts";
import { PIPELINE } from "./pipeline.ts";

describe("the pipeline", () => {
  it("has its thirteen steps in the order in which they are useful", () => {
    expect(PIPELINE.map(({ name }) => name)).toEqual([
      "path",
      "cache",
      "parse",
      "includes",
      ".env",
      "env.vars",
      "login shell",
      "variables",
      "merge patches",
      "overrides",
      "validation",
      "defaults",
      "paths",
    ]);
  });

  it("returns the defaults where there is no file, and creates none", async () => {
    using folder = new TrialFolder();
    const config = await folder.load();
    expect(config.value).toMatchObject({ gateway: { port: 18789 }, sessions: { tree: { max_depth: 10 } } });
    expect(config).toMatchObject({ exists: false, adopted: false, warnings: [], files: [] });
    expect(config.sourceOf("gateway.port")).toMatchObject({ origin: "default", file: null, line: null });
    expect(config.sourceOf("gateway.nothing")).toBeUndefined();
  });

  it("says of every value where it comes from", async () => {
    using folder = new TrialFolder({
      "colloquy.json": `{\n  $include: './more.json5',\n  gateway: { port: 1 },\n  ui: { a: '\${NAME}' },\n}`,
      "more.json5": "{ logging: { level: 'warn' },\n  gateway: { mode: 'remote' } }",
      "config.d/1.json5": "\n{ update: { x: 1 } }",
    });
    const overrides = [{ path: ["browser", "enabled"], value: true }];
    const config = await folder.load({ env: { NAME: "x" }, overrides });
    const origin = (path: string): unknown => {
      const { file, line, column, origin: kind } = config.sourceOf(path) ?? {};
      return [file?.slice(folder.state.length + 1) ?? null, line, column, kind];
    };
    expect(origin("gateway.port")).toEqual(["colloquy.json", 3, 20, "file"]);
    expect(origin("gateway.mode")).toEqual(["more.json5", 2, 20, "include"]);
    expect(config.sourceOf("gateway.mode")?.via).toBe(`${folder.path("colloquy.json")}:2:13`);
    expect(origin("ui.a")).toEqual(["colloquy.json", 4, 12, "env"]);
    expect(config.sourceOf("ui.a")?.variables).toEqual(["NAME"]);
    expect(origin("update.x")).toEqual(["config.d/1.json5", 2, 16, "patch"]);
    expect(origin("browser.enabled")).toEqual([null, null, null, "override"]);
    expect(origin("gateway.bind")).toEqual([null, null, null, "default"]);
  });

  it("returns copies", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ ui: { list: [1] } }" });
    const first = await folder.load();
    (first.value as { ui: { list: number[] } }).ui.list.push(2);
    expect((await folder.load()).value).toMatchObject({ ui: { list: [1] } });
  });

  it("makes paths absolute: of the home folder, of the config, of the command line", async () => {
    using folder = new TrialFolder({
      "colloquy.json":
        "{ logging: { file: 'logs/a.log' }, memory: { path: '~/m' }, session: { store: '/s' } }",
    });
    const overrides = [{ path: ["agents", "defaults", "workspace"], value: "work" }];
    expect((await folder.load({ overrides })).value).toMatchObject({
      logging: { file: folder.path("logs/a.log") },
      memory: { path: join(folder.home, "m") },
      session: { store: "/s" },
      agents: { defaults: { workspace: join(process.cwd(), "work") } },
    });
  });

  it.skipIf(process.platform === "win32")("makes files private, and reports it", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ $include: 'a.json5' }",
      "a.json5": "{}",
      ".env": "A=1",
    });
    for (const name of [".", "colloquy.json", "a.json5", ".env"]) chmodSync(folder.path(name), 0o755);
    const { warnings } = await folder.load();
    expect(warnings.filter(({ code }) => code === "permissions")).toHaveLength(4);
    const modes = [".", "colloquy.json", "a.json5", ".env"].map(
      (name) => statSync(folder.path(name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
    expect((await folder.load({ cacheTtlMs: 0 })).warnings).toEqual([]);
  });

  it.skipIf(process.platform === "win32")(
    "makes the folders private, also through a link and without a main file",
    async () => {
      using folder = new TrialFolder({ "config.d/1.json5": "{}" });
      const stateDir = join(folder.home, "link");
      symlinkSync(folder.state, stateDir);
      for (const name of [".", "config.d", "config.d/1.json5"]) chmodSync(folder.path(name), 0o755);
      expect((await folder.load({ stateDir })).warnings.map(({ code }) => code)).toEqual(
        Array.from({ length: 3 }, () => "permissions"),
      );
      const modes = [".", "config.d", "config.d/1.json5"].map(
        (name) => statSync(folder.path(name)).mode & 0o777,
      );
      expect(modes).toEqual([0o700, 0o700, 0o600]);
    },
  );

  it.skipIf(process.platform === "win32")("leaves a folder alone in which no config is", async () => {
    using folder = new TrialFolder();
    chmodSync(folder.state, 0o755);
    expect((await folder.load()).warnings).toEqual([]);
    expect(statSync(folder.state).mode & 0o777).toBe(0o755);
  });
});

describe("adopting the config of an OpenClaw", () => {
  const adopted = (folder: TrialFolder, name = ".openclaw", file = "openclaw.json"): string => {
    const root = join(folder.home, name);
    mkdirSync(root);
    chmodSync(root, 0o755);
    writeFileSync(join(root, file), "{ gateway: { port: 4 }, $include: './more.json5' }");
    writeFileSync(join(root, "more.json5"), `{ ui: { a: '\${FROM_DOT_ENV}' } }`);
    writeFileSync(join(root, ".env"), "FROM_DOT_ENV=yes\n");
    return root;
  };

  it("reads it where there is no colloquy.json, and changes nothing", async () => {
    using folder = new TrialFolder();
    const root = adopted(folder);
    const config = await folder.load();
    expect(config.value).toMatchObject({ gateway: { port: 4 }, ui: { a: "yes" } });
    expect(config).toMatchObject({ adopted: true, file: join(root, "openclaw.json") });
    expect(config.warnings.map(({ code }) => code)).toContain("adopted");
    expect(statSync(root).mode & 0o777).toBe(0o755);
  });

  it("does not if there is one or the caller opts out, and stops when one appears", async () => {
    using folder = new TrialFolder();
    adopted(folder, ".moltbot", "clawdbot.json");
    expect((await folder.load({ adopt: false })).value).toMatchObject({ gateway: { port: 18789 } });
    expect((await folder.load()).value).toMatchObject({ gateway: { port: 4 } });
    folder.write("colloquy.json", "{}");
    expect((await folder.load()).value).toMatchObject({ gateway: { port: 18789 } });
  });

  it("finds it in the state folder itself, when that was one of OpenClaw", async () => {
    using folder = new TrialFolder({ "moldbot.json": "{ gateway: { port: 5 } }" });
    expect(await folder.load()).toMatchObject({ adopted: true, file: folder.path("moldbot.json") });
  });
});
