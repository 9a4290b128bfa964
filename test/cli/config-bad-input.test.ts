import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { plantedSecrets } from "../support/samples/planted-secrets.ts";
import { BIN, Place } from "./run-command.ts";

function write(place: Place, name: string, text: string): void {
  const path = place.path("state", name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
}

interface Row {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly link?: string;
  readonly message: RegExp;
  /** The files can be read, so that other settings can be changed, and this one mended. */
  readonly mendable?: true;
}

const chain: Record<string, string> = { "colloquy.json": "{ $include: '1.json5' }", "11.json5": "{}" };
for (let depth = 1; depth < 11; depth++) chain[`${depth}.json5`] = `{ $include: '${depth + 1}.json5' }`;

const rows: readonly Row[] = [
  {
    what: "broken JSON5",
    files: { "colloquy.json": "{\n  a: 1\n  b: 2\n}" },
    message: /colloquy\.json:3:3: Expected "," or "}"/,
  },
  {
    what: "a missing include",
    files: { "colloquy.json": "{ $include: 'x' }" },
    message: /colloquy\.json:1:13: The file x does not exist/,
  },
  {
    what: "a cycle",
    files: { "colloquy.json": "{ $include: 'a' }", a: "{ $include: 'a' }" },
    message: /a:1:13: .*cycle: a → a/,
  },
  { what: "depth 11", files: chain, message: /10\.json5:1:13: .*deeper than 10/ },
  {
    what: "an include outside",
    files: { "colloquy.json": "{ $include: '../../etc/passwd' }" },
    message: /is outside the folder of the config/,
  },
  {
    what: "an include outside by a link",
    files: { "colloquy.json": "{ $include: 'l' }" },
    link: "/etc/passwd",
    message: /is outside the folder of the config: it is a link/,
  },
  {
    what: "a missing variable",
    files: { "colloquy.json": `{ gateway: { bind: '\${NOT_THERE_AT_ALL}' } }` },
    message: /colloquy\.json:1:20: gateway\.bind needs the variable/,
    mendable: true,
  },
  {
    what: "a key of the prototype",
    files: { "colloquy.json": '{ "__proto__": {} }' },
    message: /colloquy\.json:1:3: The key "__proto__"/,
  },
  {
    what: "a wrong type",
    files: { "colloquy.json": "{ gateway: 1 }" },
    message: /colloquy\.json:1:12: gateway must be an object/,
    mendable: true,
  },
  {
    what: "3 MiB",
    files: { "colloquy.json": "{ $include: 'big' }", big: " ".repeat(3 * 1024 * 1024) },
    message: /big is larger than 2 MiB/,
  },
];

describe("a bad config", () => {
  it.each(rows)("stops a command with one clear line and is not changed: $what", async (row) => {
    using place = new Place();
    for (const [name, text] of Object.entries(row.files)) write(place, name, text);
    if (row.link !== undefined) symlinkSync(row.link, place.path("state/l"));
    const change = ["set", "logging.level", "info"];
    for (const args of [["get", "gateway.port"], ...(row.mendable ? [] : [change])]) {
      const { code, stdout, stderr } = await place.run(["config", ...args]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(row.message);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(readFileSync(place.path("state/colloquy.json"), "utf8")).toBe(row.files["colloquy.json"]);
    }
    expect((await place.run(["config", "validate"])).code).toBe(3);
    if (row.mendable) expect((await place.run(["config", ...change])).code).toBe(0);
  });

  it("with unknown sections and lower-case variables is used, with a warning for each", async () => {
    using place = new Place();
    write(place, "colloquy.json", `{ gatewy: 1, ui: { a: '\${home}' } }`);
    const { code, stdout, stderr } = await place.run(["config", "get", "gateway.port"]);
    expect([code, stdout]).toEqual([0, "18789\n"]);
    expect(stderr).toContain('Unknown key "gatewy": did you mean "gateway"?');
    expect(stderr).toContain(`\${home} in ui.a is not replaced`);
  });
});

describe("a place that cannot be written", () => {
  /** As root everything may be written, so the command runs as nobody. */
  const nobody = process.getuid?.() === 0 ? 65534 : undefined;

  it.skipIf(process.platform === "win32")("is reported in one clear line, and the file stays", () => {
    using place = new Place();
    write(place, "colloquy.json", "{ ui: { a: 1 } }");
    const own = ["", "state", "state/colloquy.json"].map((name) => place.path(name));
    if (nobody !== undefined) for (const path of own) chownSync(path, nobody, nobody);
    chmodSync(place.state, 0o500);
    const { status, stderr } = spawnSync(process.execPath, [BIN, "config", "set", "ui.a", "2"], {
      cwd: place.folder,
      env: { ...process.env, COLLOQUY_STATE_DIR: place.state },
      encoding: "utf8",
      ...(nobody === undefined ? {} : { uid: nobody, gid: nobody }),
    });
    chmodSync(place.state, 0o700);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^Error: Nothing was changed: cannot write .*state: permission denied\. .*\n$/),
    ]);
    expect(readFileSync(place.path("state/colloquy.json"), "utf8")).toBe("{ ui: { a: 1 } }");
  });

  it.skipIf(process.platform !== "linux" || nobody === undefined)(
    "is reported when the disk is full",
    async ({ skip }) => {
      using place = new Place();
      mkdirSync(place.state, { mode: 0o700 });
      // The smallest possible disk: a few pages, all in use.
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", place.state]);
      if (mounted.status !== 0) return skip("no file system may be mounted here");
      try {
        write(place, "colloquy.json", "{ ui: { a: 1 } }");
        write(place, "colloquy.lock", "");
        expect(() => writeFileSync(place.path("state/filler"), Buffer.alloc(1 << 20))).toThrow(/ENOSPC/);
        const { code, stderr } = await place.run(["config", "set", "ui.a", "2"]);
        expect([code, stderr]).toEqual([
          1,
          expect.stringMatching(/^Error: .*(?:disk is full|disk is probably full).*\n$/),
        ]);
        expect(stderr).toContain("Nothing was changed");
        expect(readFileSync(place.path("state/colloquy.json"), "utf8")).toBe("{ ui: { a: 1 } }");
      } finally {
        execFileSync("umount", [place.state]);
      }
    },
  );
});

describe("secrets", () => {
  it("appear in the output of no command, valid or not", async () => {
    using place = new Place();
    const secrets = plantedSecrets().map(({ secret }) => secret);
    const env: Record<string, string> = {};
    const accounts: Record<string, unknown> = {};
    for (const [index, secret] of secrets.entries()) {
      env[`PLANTED_${index}`] = secret;
      accounts[`a${index}`] = { token: `\${PLANTED_${index}}`, botToken: secret, allowFrom: [] };
    }
    const config = (more: object): string =>
      JSON.stringify({ channels: { telegram: { accounts } }, ui: { notes: secrets }, ...more });
    const texts = [
      config({}),
      config({ gateway: { port: secrets[0], auth: { mode: secrets[1], token: secrets[2] } } }),
      config({ models: { providers: { x: { apiKey: secrets[3], models: secrets[4] } } } }),
      `{ ui: { a: '${secrets[5]}'\n b: '${secrets[6]}`,
    ];
    let seen = "";
    for (const [index, text] of texts.entries()) {
      write(place, "colloquy.json", text);
      const commands = [
        ["get"],
        ["get", "channels"],
        ["get", "ui.notes"],
        ["validate"],
        ["explain", "channels"],
        ["explain", `channels.telegram.accounts.a${index}.token`],
        ["set", "gateway.port", secrets[7] as string],
        ["set", "gateway.auth.token", secrets[8] as string],
        ["set", "sessions.tree", `{ max_depth: '${secrets[9]}' }`],
        ["get", "gateway.port", "--set", `gateway.port=${secrets[10]}`],
      ];
      const results = await Promise.all(
        commands.flatMap((args) => [
          place.run(["config", ...args], { env }),
          place.run(["config", ...args, "--json"], { env }),
        ]),
      );
      seen += results.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    }
    expect(seen.length).toBeGreaterThan(2000);
    expect(secrets.filter((secret) => secret.length >= 12 && seen.includes(secret))).toEqual([]);
  });
});
