/** Which part of the config a command obeys, and which errors in it stop the command. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Place } from "./run-command.ts";

function write(place: Place, name: string, text: string): void {
  const path = join(place.state, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o700 });
}

const APPEND = ["sessions", "append", "notes:a", "--role", "user", "--content", "Hello"];
const LIST = ["sessions", "list"];

describe("a command", () => {
  it("is not stopped by sections that it does not use", async () => {
    using place = new Place();
    write(place, "colloquy.json", `{ gateway: { port: "x", auth: { token: '\${NOT_SET}' } } }`);
    expect((await place.run(APPEND)).code).toBe(0);
    expect((await place.run(LIST)).stderr).toBe("");
    expect((await place.run(["config", "get", "sessions.format"])).stdout).toBe("auto\n");
    expect((await place.run(["config", "get", "gateway.port"])).code).toBe(1);
    expect((await place.run(["config", "validate"])).code).toBe(3);
  });

  it("stops if a section that it uses cannot be read", async () => {
    using place = new Place();
    write(place, "colloquy.json", `{ session: { defaultCountry: "Germany" } }`);
    for (const args of [APPEND, LIST, []]) {
      const { code, stderr } = await place.run(args);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^Error: .* a country in two letters/)]);
    }
    const checked = await place.run(["sessions", "validate"]);
    expect([checked.code, checked.stderr]).toEqual([
      0,
      expect.stringMatching(/^Warning: .*The defaults apply\n/),
    ]);
  });

  it("that writes stops at a config that cannot be parsed, and others name it in one line", async () => {
    using place = new Place();
    write(place, "colloquy.json", "{ sessions: ");
    const list = await place.run(LIST);
    expect(list.code).toBe(0);
    expect(list.stderr).toMatch(
      /^Warning: .*colloquy\.json:1:\d+: .* The defaults apply\nNo conversations\.\n$/,
    );
    for (const args of [APPEND, ["auth", "remove", "openai:x"], ["import", place.folder]]) {
      const { code, stderr } = await place.run(args);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^Error: .*colloquy\.json:1:\d+: .*\n$/)]);
    }
    expect((await place.run(["auth", "list"])).stderr).toMatch(/^Warning: .*colloquy\.json/);
  });

  it("obeys patches without a main file, and --set", async () => {
    using place = new Place();
    write(place, "config.d/10-phone.json5", `{ session: { defaultCountry: "DE" } }`);
    const phone = ["sessions", "append", "telegram:0176 12345678", "--role", "user", "--content", "Hi"];
    await place.json(phone);
    await place.json([...phone, "--set", "session.defaultCountry=FR"]);
    const { items } = await place.json(LIST);
    const keys = items.map(({ key }: { key: string }) => key).sort();
    expect(keys).toEqual(["telegram:+4917612345678", "telegram:017612345678"]);
    const bad = await place.run([...LIST, "--set", "nothing"]);
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining("--set takes PATH=VALUE")]);
  });

  it("uses --set and patches instead of a value whose variable is missing", async () => {
    using place = new Place();
    write(place, "colloquy.json", `{ session: { defaultCountry: '\${NOT_SET}' } }`);
    expect((await place.run(APPEND)).stderr).toContain("needs the variable NOT_SET");
    expect(await place.run([...APPEND, "--set", "session.defaultCountry=DE"])).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect((await place.run([...APPEND, "--set", "session.idleMinutes=1"])).code).toBe(1);
    write(place, "config.d/10-phone.json5", `{ session: { defaultCountry: "DE" } }`);
    expect(await place.run(APPEND)).toMatchObject({ code: 0, stderr: "" });
  });

  it("refuses an unknown path of --set, whichever command it is", async () => {
    using place = new Place();
    for (const [set, meant] of [
      ["sessions.formt=v2", "sessions.format"],
      ["sesions.format=v2", "sessions"],
      ["session.defaultCountri=DE", "session.defaultCountry"],
      ["defaultCountry=DE", "session.defaultCountry"],
      ["sessions.max_depth=3", "sessions.tree.max_depth"],
      ["sessions={tree: {max_dept: 3}}", "sessions.tree.max_depth"],
    ] as const) {
      const { code, error } = await place.failure([...LIST, "--set", set]);
      expect([code, error]).toMatchObject([1, { code: "VALIDATION_ERROR", field: "set" }]);
      expect(error.message).toContain(`did you mean "${meant}"?`);
    }
    for (const args of [["help"], ["config", "path"], ["auth", "list"], APPEND]) {
      const { error } = await place.failure([...args, "--set", "zebra=1"]);
      expect(error.message).toMatch(/^Unknown key "zebra"\. To see every setting: .* config schema/);
    }
    expect((await place.run(LIST)).stderr).toBe("No conversations.\n");
  });

  it("names unknown settings of the sections that it uses in one line", async () => {
    using place = new Place();
    write(place, "colloquy.json", `{ sessions: { formt: "v2", tre: {} }, gateway: { prt: 1 } }`);
    expect((await place.run(LIST)).stderr).toMatch(
      /^Warning: .*colloquy\.json:1:22: Unknown key "sessions\.formt": did you mean "sessions\.format"\? \(and 1 more: run .* config validate\)\nNo conversations\.\n$/,
    );
    write(place, "colloquy.json", `{ sesions: { format: "v2" }, gatway: {} }`);
    const { stderr } = await place.run(APPEND);
    expect(stderr).toMatch(/^Warning: .*Unknown key "sesions": did you mean "sessions"\?\n$/);
    write(place, "colloquy.json", `{ gateway: { prt: 1 }, zebra: 1 }`);
    expect((await place.run(APPEND)).stderr).toBe("");
  });

  it("obeys the config of an OpenClaw where there is no other, and stops if it cannot be parsed", async () => {
    using place = new Place();
    const env = { HOME: place.folder, OPENCLAW_STATE_DIR: "" };
    const folder = place.path(".openclaw");
    mkdirSync(folder);
    const config = join(folder, "openclaw.json");
    writeFileSync(config, `{ session: { scope: "per-sender", defaultCountry: "DE" } }`);
    const phone = ["sessions", "append", "telegram:0176 12345678", "--role", "user", "--content", "Hi"];
    expect((await place.run(phone, { env })).code).toBe(0);
    const keys = async (args: readonly string[] = []): Promise<string[]> => {
      const { stdout } = await place.run([...LIST, "--json", ...args], { env });
      return JSON.parse(stdout).items.map(({ key }: { key: string }) => key);
    };
    expect(await keys()).toEqual(["telegram:+4917612345678"]);

    writeFileSync(config, "{ session: ");
    const list = await place.run(LIST, { env });
    expect([list.code, list.stderr]).toEqual([
      0,
      expect.stringMatching(/^Warning: .*openclaw\.json:1:\d+: .* The defaults apply\n/),
    ]);
    const append = await place.run(APPEND, { env });
    expect([append.code, append.stderr]).toEqual([
      1,
      expect.stringMatching(/^Error: .*openclaw\.json:1:\d+: /),
    ]);
    // A profile adopts nothing, and neither does a folder with a config of its own.
    expect(
      (await place.run([...APPEND, "--profile", "p"], { env: { ...env, COLLOQUY_STATE_DIR: "" } })).code,
    ).toBe(0);
    write(place, "colloquy.json", "{}");
    expect((await place.run(APPEND, { env })).code).toBe(0);
  });

  it("uses the configured depth when it validates", async () => {
    using place = new Place();
    await place.json(APPEND);
    await place.json(["sessions", "branch", "notes:a", "--name", "b"]);
    expect((await place.run(["sessions", "validate"])).code).toBe(0);
    const args = ["sessions", "validate", "--json", "--set", "sessions.tree.max_depth=1"];
    const { code, stdout } = await place.run(args);
    expect([code, JSON.parse(stdout).findings]).toMatchObject([3, [{ code: "deep-branch" }]]);
    const shown = await place.run(args.filter((arg) => arg !== "--json"));
    expect(shown.stdout).toContain("1 problem found.");
    expect(shown.stderr).toMatch(/ config set sessions\.tree\.max_depth 2\n$/);
    expect(`${shown.stdout}${shown.stderr}`).not.toMatch(/repair|back up/i);
    const warning = [...args.slice(0, -1), "sessions.tree.warning_depth=1"];
    const near = await place.run(warning);
    expect([near.code, JSON.parse(near.stdout)]).toMatchObject([
      0,
      { ok: true, findings: [{ code: "branch-depth" }] },
    ]);
    const read = await place.run(warning.filter((arg) => arg !== "--json"));
    expect(read).toMatchObject({ code: 0, stderr: expect.stringMatching(/warning_depth 2\n$/) });
    expect(read.stdout).toMatch(/^branch-depth: branch b has depth 2 of at most 10: .*\n.*\nok: /);
    const doctor = await place.run(["doctor", "--json", "--set", "sessions.tree.warning_depth=1"]);
    const found = JSON.parse(doctor.stdout).findings.filter(
      ({ code }: { code: string }) => code === "branch-depth",
    );
    expect([doctor.code, found]).toMatchObject([0, [{ severity: "note" }]]);
  });

  it("leaves out cycles where they are allowed", async () => {
    using place = new Place();
    write(
      place,
      "old/20250121193000001.jsonl",
      [
        '{"_type":"metadata","version":2,"tree_enabled":true}',
        '{"role":"user","content":"1","timestamp":"2025-01-21T19:30:00Z","id":"a","parent_id":"b"}',
        '{"role":"assistant","content":"2","timestamp":"2025-01-21T19:30:05Z","id":"b","parent_id":"a"}\n',
      ].join("\n"),
    );
    const args = ["sessions", "validate", "--json", "--store", `jsonl:${join(place.state, "old")}`];
    const { code, stdout } = await place.run(args);
    expect([code, JSON.parse(stdout).findings]).toMatchObject([3, [{ code: "cycle" }]]);
    const shown = await place.run(args.filter((arg) => arg !== "--json"));
    expect(shown.stderr).toMatch(/ config set sessions\.tree\.allow_circular_references true --store \S+\n$/);
    expect(`${shown.stdout}${shown.stderr}`).not.toMatch(/repair/);
    const allowed = await place.run([...args, "--set", "sessions.tree.allow_circular_references=true"]);
    expect([allowed.code, JSON.parse(allowed.stdout).findings]).toEqual([0, []]);
  });

  it("asks the login shell only for a variable that it needs, and says so", async () => {
    using place = new Place();
    write(
      place,
      "shell",
      `#!/bin/sh\necho asked >> ${place.path("asked")}\nexport COUNTRY=DE\nexec /bin/sh -c "$3"\n`,
    );
    const shell = join(place.state, "shell");
    write(place, "colloquy.json", `{ env: { shellEnv: "${shell}" }, gateway: { bind: '\${NOT_SET}' } }`);
    const quiet = await place.run(LIST);
    expect([quiet.code, quiet.stderr]).toEqual([0, "No conversations.\n"]);
    const country = `session: { defaultCountry: '\${COUNTRY}' }`;
    write(place, "colloquy.json", `{ env: { shellEnv: "${shell}" }, ${country} }`);
    const asked = await place.run(LIST);
    expect([asked.code, asked.stderr]).toEqual([
      0,
      expect.stringMatching(/^Warning: .*asked for COUNTRY.*\nNo /),
    ]);
    expect((await place.run(LIST, { env: { COUNTRY: "FR" } })).stderr).toBe("No conversations.\n");
    const set = await place.run([...LIST, "--set", "session.defaultCountry=FR"]);
    expect(set.stderr).toBe("No conversations.\n");
  });

  it("says that it asked the login shell even if it then fails", async () => {
    using place = new Place();
    write(place, "shell", `#!/bin/sh\nexec /bin/sh -c "$3"\n`);
    const env = `env: { shellEnv: "${join(place.state, "shell")}" }`;
    write(
      place,
      "colloquy.json",
      `{ ${env}, session: { defaultCountry: '\${COUNTRY}' }, models: { default: '\${MODEL}' } }`,
    );
    for (const [args, name] of [
      [APPEND, "COUNTRY"],
      [["sessions", "retain"], "COUNTRY"],
      [["config", "get", "session"], "COUNTRY"],
      [["models", "list"], "MODEL"],
    ] as const) {
      const { code, stderr } = await place.run(args);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(new RegExp(`^Warning: .*asked for .*${name}.*\\nError: .*${name}.*\\n$`)),
      ]);
    }
    const { findings } = JSON.parse((await place.run(["doctor", "--json"])).stdout);
    const asked = findings.find(({ code }: { code: string }) => code === "config-login-shell");
    expect(asked).toMatchObject({ severity: "note", fix: "Nothing to do" });
  });

  it("knows a config of patches only", async () => {
    using place = new Place();
    mkdirSync(join(place.state, "config.d"), { recursive: true, mode: 0o700 });
    expect((await place.run(["config", "path"])).stderr).toContain("the defaults apply");
    write(place, "config.d/10-phone.json5", `{ session: { defaultCountry: "DE" } }`);
    const path = await place.run(["config", "path"]);
    expect(path.stderr).toMatch(/^The file does not exist yet; .*config\.d applies\n$/);
    for (const args of [["config", "validate"], ["doctor"]]) {
      const { stdout } = await place.run(args);
      expect(stdout).toMatch(/config\.d/);
      expect(stdout).not.toMatch(/defaults apply/);
    }
  });

  it("is told by the doctor about an earlier version if there is one", async () => {
    using place = new Place();
    const advice = async (): Promise<string> => {
      write(place, "colloquy.json", "{ sessions: ");
      const { findings } = JSON.parse((await place.run(["doctor", "--json"])).stdout);
      return findings.find(({ code }: { code: string }) => code === "config-not-readable").fix;
    };
    expect(await advice()).toMatch(/commands that need the config fail$/);
    write(place, "colloquy.json", "{}");
    await place.json(["config", "set", "sessions.format", "v2"]);
    expect(await advice()).toContain(join(place.state, "colloquy.json.bak.1"));
  });

  it("repeats no token that is used as the name of a setting", async () => {
    using place = new Place();
    const token = `sk-ant-${"a1B2".repeat(12)}`;
    write(
      place,
      "colloquy.json",
      `{ "${token}": 1, gateway: { "${token}": { port: 1 }, auth: "${token}" } }`,
    );
    for (const args of [
      ["validate"],
      ["get", token],
      ["set", token, "1"],
      ["explain", `a.${token}`],
      ["unset", token],
    ]) {
      const { stdout, stderr } = await place.run(["config", ...args, "--json"]);
      expect(`${stdout}${stderr}`).not.toContain(token);
    }
    const { stdout, stderr } = await place.run([...LIST, "--set", `${token}=1`, "--json"]);
    expect(`${stdout}${stderr}`).not.toContain(token);
  });

  it("reports 150,000 unknown keys as one error", async () => {
    using place = new Place();
    const keys = Array.from({ length: 150_000 }, (_, index) => `k${index}:0`);
    write(place, "colloquy.json", `{${keys.join(",")}}`);
    const { code, stderr } = await place.run(APPEND);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Error: .*150000 unknown keys.*\n$/)]);
    const validated = await place.run(["config", "validate", "--json"]);
    expect([validated.code, JSON.parse(validated.stdout).findings]).toMatchObject([
      3,
      [{ code: "unknown-keys" }],
    ]);
  });
});
