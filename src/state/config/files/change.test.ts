import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../../test/support/config-folder.ts";
import { type FileIo, systemIo } from "../../../disk/file-io.ts";

const WRITTEN = `{
  // The door.
  gateway: { port: 1, /* why not */ mode: 'local' },
  $include: ['./more.json5'], // and more
  ui: { token: "\${UI_TOKEN}" },
  meta: { lastTouchedVersion: "0", lastTouchedAt: 0 },
}
`;

describe("changing the config", () => {
  it("makes the file, for its owner only, and stamps it", async () => {
    using folder = new TrialFolder();
    const change = await folder.set("gateway.port", 5);
    expect(change).toEqual({
      path: "gateway.port",
      file: folder.path("colloquy.json"),
      backup: null,
      changed: true,
      notices: [],
    });
    const { value } = await folder.load();
    expect(value).toMatchObject({
      gateway: { port: 5 },
      meta: { lastTouchedVersion: "1.2.3", lastTouchedAt: 42 },
    });
    expect(statSync(folder.path("colloquy.json")).mode & 0o777).toBe(0o600);
  });

  it("keeps comments, order, includes and variables unchanged", async () => {
    using folder = new TrialFolder({ "colloquy.json": WRITTEN, "more.json5": "{}" });
    await folder.set("gateway.port", 2, { env: { UI_TOKEN: "t" } });
    const stamped = 'meta: { lastTouchedVersion: "1.2.3", lastTouchedAt: 42 }';
    const expected = WRITTEN.replace("port: 1", "port: 2").replace(/meta: .*\}/, stamped);
    expect(folder.read("colloquy.json")).toBe(expected);
  });

  it("writes to the include that contains the key or its parent", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ channels: { $include: 'channels.json5' }, $include: 'more.json5', ui: { x: 1 } }",
      "channels.json5": "{ /* all */ discord: { enabled: true } }",
      "more.json5": "{ logging: { level: 'info' } }",
    });
    expect((await folder.set("channels.discord.enabled", false)).file).toBe(folder.path("channels.json5"));
    expect(folder.read("channels.json5")).toBe("{ /* all */ discord: { enabled: false } }");
    expect((await folder.set("channels.web.enabled", true)).file).toBe(folder.path("channels.json5"));
    expect((await folder.set("logging.file", "x.log")).file).toBe(folder.path("more.json5"));
    expect((await folder.set("browser.enabled", true)).file).toBe(folder.path("colloquy.json"));
    expect((await folder.load()).value).toMatchObject({
      channels: { discord: { enabled: false }, web: { enabled: true } },
      logging: { level: "info" },
      browser: { enabled: true },
    });
    expect(existsSync(folder.path("channels.json5.bak.1"))).toBe(true);
  });

  it("writes into the patch that decides", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ gateway: { port: 1 } }",
      "config.d/1.json5": "{ gateway: { port: 2 } }",
    });
    expect((await folder.set("gateway.port", 3)).file).toBe(folder.path("config.d/1.json5"));
    expect((await folder.load()).value.gateway).toMatchObject({ port: 3 });
  });

  it("refuses what would not come true, because another file has a say in it", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ tools: { $include: 'a.json5', allow: ['b'] }, ui: { x: 1 } }",
      "a.json5": "{ allow: ['a'] }",
      "config.d/1.json5": "{ ui: { x: null } }",
    });
    const before = folder.read("colloquy.json");
    await expect(folder.set("tools.allow", ["c"])).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(folder.set("ui.x", 2)).rejects.toThrow(/a patch in config.d removes it/);
    expect(folder.read("colloquy.json")).toBe(before);
  });

  it("rejects a value that makes the config invalid, and leaves the file", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ gateway: { port: 1 } }" });
    await expect(folder.set("gateway.port", "x")).rejects.toThrow(
      "Nothing was changed: gateway.port must be an integer from 1 to 65535",
    );
    await expect(folder.set("gateway.port.x", 1)).rejects.toThrow(/"gateway.port" is a number/);
    await expect(folder.set("ui.a", `\${GONE}`)).rejects.toThrow(/needs the variable GONE/);
    expect(folder.read("colloquy.json")).toBe("{ gateway: { port: 1 } }");
    expect(readdirSync(folder.state).toSorted()).toEqual(["colloquy.json", "colloquy.lock"]);
  });

  it("can fix an invalid config step by step", async () => {
    using folder = new TrialFolder({
      "colloquy.json": `{ gateway: { port: 'x', mode: 'y' }, ui: { a: '\${GONE}' } }`,
    });
    await folder.set("gateway.port", 1);
    await folder.set("gateway.mode", "local");
    expect((await folder.failure()).message).toContain("needs the variable GONE");
    await folder.set("ui.a", "plain");
    expect((await folder.load()).value.ui).toEqual({ a: "plain" });
  });

  it("takes a value away, and says when there was none", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{\n  gateway: { port: 1 },\n  ui: { a: 1 }, // looks\n}\n",
    });
    expect((await folder.unset("ui")).changed).toBe(true);
    expect(folder.read("colloquy.json")).toMatch(/\n {2}\/\/ looks\n\}\n$/);
    expect(folder.read("colloquy.json")).not.toContain("ui");
    const before = folder.read("colloquy.json");
    expect((await folder.unset("ui.a")).changed).toBe(false);
    expect(folder.read("colloquy.json")).toBe(before);
  });

  it("keeps the last five versions", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ gateway: { port: 100 } }" });
    for (let port = 101; port <= 107; port++) {
      expect((await folder.set("gateway.port", port)).backup).toBe(folder.path("colloquy.json.bak.1"));
    }
    const kept = readdirSync(folder.state).filter((name) => name.includes(".bak"));
    expect(kept.toSorted()).toEqual([1, 2, 3, 4, 5].map((number) => `colloquy.json.bak.${number}`));
    const ports = [1, 2, 3, 4, 5].map(
      (number) => /port: (\d+)/.exec(folder.read(`colloquy.json.bak.${number}`))?.[1],
    );
    expect(ports).toEqual(["106", "105", "104", "103", "102"]);
    expect(statSync(folder.path("colloquy.json.bak.3")).mode & 0o777).toBe(0o600);
  });

  it("loses no change of several at once", async () => {
    using folder = new TrialFolder();
    const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => folder.set(`ui.${key}`, key)));
    expect(Object.keys((await folder.load()).value.ui as object).toSorted()).toEqual(keys.toSorted());
  });

  it("writes where a link leads, and leaves the link", async () => {
    using folder = new TrialFolder();
    writeFileSync(join(folder.home, "mine.json"), "{}");
    symlinkSync(join(folder.home, "mine.json"), folder.path("colloquy.json"));
    await folder.set("ui.a", 1);
    expect(readFileSync(join(folder.home, "mine.json"), "utf8")).toContain('"a": 1');
  });

  it.skipIf(process.platform === "win32")(
    "closes the backup of a linked config, and warns while that is open",
    async () => {
      using folder = new TrialFolder();
      const mine = join(folder.home, "mine.json");
      writeFileSync(mine, "{}");
      chmodSync(mine, 0o644);
      symlinkSync(mine, folder.path("colloquy.json"));
      expect((await folder.load()).warnings).toMatchObject([
        { severity: "warning", message: `${mine} is open to others (0644): run chmod 600` },
      ]);
      const { backup } = await folder.set("ui.a", 1);
      expect(backup).toBe(`${mine}.bak.1`);
      expect(statSync(`${mine}.bak.1`).mode & 0o777).toBe(0o600);
      expect(
        (await folder.load({ cacheTtlMs: 0 })).warnings.filter(({ code }) => code === "permissions"),
      ).toEqual([]);
    },
  );

  it("makes a copy of an adopted config with all its files, and leaves the original", async () => {
    using folder = new TrialFolder();
    const root = join(folder.home, ".openclaw");
    mkdirSync(join(root, "sub"), { recursive: true });
    const files = {
      "openclaw.json": "{ // mine\n  $include: './sub/a.json5',\n  gateway: { port: 1 } }",
      "sub/a.json5": `{ ui: { a: '\${X}' } }`,
      ".env": "X=1\n",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    expect((await folder.set("gateway.port", 2)).file).toBe(folder.path("colloquy.json"));
    const config = await folder.load();
    expect(config).toMatchObject({ adopted: false, value: { ui: { a: "1" }, gateway: { port: 2 } } });
    expect(folder.read("colloquy.json")).toContain("// mine");
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(root, name), "utf8")).toBe(text);
    expect(readdirSync(root, { recursive: true })).toHaveLength(4);
  });
});

/** A disk on which a call fails. */
function failing(call: keyof FileIo, code: string, times = Number.POSITIVE_INFINITY): FileIo {
  let left = times;
  const fail = (...args: never[]): unknown => {
    if (left-- <= 0) return (systemIo[call] as (...args: never[]) => unknown)(...args);
    throw Object.assign(new Error(code), { code, syscall: call });
  };
  return { ...systemIo, [call]: fail };
}

describe("a change on a disk that fails", () => {
  const short: FileIo = {
    ...systemIo,
    write: (file, bytes, at) => systemIo.write(file, bytes.subarray(0, 5), at),
  };
  it.each([
    ["is full", failing("write", "ENOSPC"), /disk is full/],
    ["is full without an error", short, /disk is probably full/],
    ["cannot be synced", failing("sync", "EIO"), /cannot write .*colloquy\.json: EIO/],
    ["is read-only", failing("open", "EROFS"), /permission denied/],
    ["refuses the rename", failing("rename", "EACCES"), /permission denied/],
    ["refuses the backup", failing("link", "ENOSPC"), /disk is full/],
  ])("that %s changes nothing", async (_what, io, message) => {
    using folder = new TrialFolder({ "colloquy.json": "{ ui: { a: 1 } }", "colloquy.json.bak.5": "old" });
    const error = await folder.set("ui.a", 2, { io }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "SERVICE_UNAVAILABLE", message: expect.stringMatching(message) });
    expect((error as Error).message).toContain("Nothing was changed");
    expect(folder.read("colloquy.json")).toBe("{ ui: { a: 1 } }");
    expect(folder.read("colloquy.json.bak.5")).toBe("old");
    expect(readdirSync(folder.state).filter((name) => !/\.(lock|bak\.5)$/.test(name))).toEqual([
      "colloquy.json",
    ]);
    await folder.set("ui.a", 3);
    expect((await folder.load()).value.ui).toEqual({ a: 3 });
  });

  it("removes what a killed writer left", async () => {
    using folder = new TrialFolder({
      ".colloquy-0123456789ab-colloquy.json.tmp": "half",
      ".colloquy-00-other.tmp": "x",
    });
    await folder.set("ui.a", 1);
    expect(readdirSync(folder.state).filter((name) => name.endsWith(".tmp"))).toEqual([
      ".colloquy-00-other.tmp",
    ]);
  });
});
