import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { Place } from "./run-command.ts";

function write(place: Place, name: string, text: string): void {
  const path = place.path("state", name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
}

const read = (place: Place, name = "colloquy.json"): string =>
  readFileSync(place.path("state", name), "utf8");

describe("config get", () => {
  it("shows a value and where it comes from", async () => {
    using place = new Place();
    write(place, "colloquy.json", "{\n  gateway: { port: 7 },\n}");
    expect(await place.json(["config", "get", "gateway.port"])).toEqual({
      path: "gateway.port",
      value: 7,
      source: { file: place.path("state/colloquy.json"), line: 2, column: 20, origin: "file" },
    });
    expect(await place.run(["config", "get", "gateway.port"])).toEqual({
      code: 0,
      stdout: "7\n",
      stderr: "",
    });
  });

  it("shows the defaults on a fresh machine, and creates nothing", async () => {
    using place = new Place();
    const { value, source } = await place.json(["config", "get", "gateway.port"]);
    expect([value, source]).toEqual([18789, { file: null, line: null, column: null, origin: "default" }]);
    expect(existsSync(place.state)).toBe(false);
  });

  it("shows everything without a path, and strings unquoted", async () => {
    using place = new Place();
    write(place, "colloquy.json", "{ models: { default: 'a/b' } }");
    expect((await place.json(["config", "get"])).value).toMatchObject({ models: { default: "a/b" } });
    expect((await place.run(["config", "get", "models.default"])).stdout).toBe("a/b\n");
  });

  it("suggests what was probably meant", async () => {
    using place = new Place();
    const meant = async (path: string) => (await place.failure(["config", "get", path])).error;
    expect(await meant("gateway.prot")).toMatchObject({
      code: "NOT_FOUND",
      message: '"gateway.prot" is not set in the config; did you mean "gateway.port"?',
    });
    expect((await meant("gatway.port")).message).toContain('did you mean "gateway"?');
    expect((await meant("gateway.auth.token")).message).toContain("it is a known setting");
    expect(await meant("a..b")).toMatchObject({ code: "VALIDATION_ERROR", field: "path" });
    expect((await meant("__proto__.x")).code).toBe("VALIDATION_ERROR");
  });

  it("hides secrets by the schema, by their name and by their form", async () => {
    using place = new Place();
    const key = `sk-${"ant-api03-"}aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA5bC7dE9fG1hJ3kM5nP7qR9sT1uV3wX5yZ7`;
    write(
      place,
      "colloquy.json",
      JSON.stringify({
        gateway: { auth: { token: "long-enough-token-wxyz", password: "short" } },
        ui: { note: `see ${key}`, myApiKey: "0123456789abcdefWXYZ" },
        env: { vars: { ANYTHING: "not-a-secret-by-name" } },
      }),
    );
    const { value } = await place.json(["config", "get"]);
    expect(value.gateway.auth).toMatchObject({ token: "…wxyz", password: "…" });
    expect(value.ui.myApiKey).toBe("…WXYZ");
    expect(value.ui.note).not.toContain(key);
    expect(value.env.vars.ANYTHING).toBe("…name");
    expect((await place.json(["config", "get", "env.vars.ANYTHING"])).value).toBe("…name");
  });

  it("hides numbers, and values under a mistyped name of a secret", async () => {
    using place = new Place();
    write(
      place,
      "colloquy.json",
      "{ gateway: { auth: { pasword: 'a-secret-of-some-length' } }, channels: { foo: { password: 987654321012, secrets: [111222333444] } } }",
    );
    const seen = async (command: string, path: string) => (await place.json(["config", command, path])).value;
    expect(await seen("get", "gateway.auth.pasword")).toBe("…ngth");
    expect(await seen("explain", "gateway.auth.pasword")).toBe("…ngth");
    expect(await seen("get", "channels.foo.secrets[0]")).toBe("…3444");
    expect(await seen("explain", "channels.foo")).toEqual({ password: "…1012", secrets: ["…3444"] });
  });

  it("accepts --set, which takes precedence", async () => {
    using place = new Place();
    const { value, source } = await place.json(["config", "get", "gateway.port", "--set", "gateway.port=9"]);
    expect([value, source.origin]).toEqual([9, "override"]);
  });

  it.skipIf(process.platform === "win32")("makes files private, and reports it", async () => {
    using place = new Place();
    write(place, "colloquy.json", "{}");
    chmodSync(place.path("state/colloquy.json"), 0o644);
    const { code, stderr } = await place.run(["config", "get", "gateway.port"]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^Warning: .*was open to others \(0644\): changed to 0600\n$/),
    ]);
    expect(statSync(place.path("state/colloquy.json")).mode & 0o777).toBe(0o600);
  });
});

describe("config set and unset", () => {
  it("change the file and keep the rest of it", async () => {
    using place = new Place();
    write(place, "colloquy.json", "{\n  // The door.\n  gateway: { port: 1 },\n}\n");
    const report = await place.json(["config", "set", "gateway.port", "2"]);
    expect(report).toEqual({
      path: "gateway.port",
      file: place.path("state/colloquy.json"),
      backup: place.path("state/colloquy.json.bak.1"),
    });
    expect(read(place)).toMatch(/^\{\n {2}\/\/ The door\.\n {2}gateway: \{ port: 2 \},\n {2}meta: \{/);
    expect(JSON.parse(/lastTouchedVersion: ("[^"]+")/.exec(read(place))?.[1] as string)).toMatch(
      /^\d+\.\d+\.\d+/,
    );
    await place.json(["config", "unset", "gateway.port"]);
    expect((await place.json(["config", "get", "gateway.port"])).value).toBe(18789);
    expect((await place.failure(["config", "unset", "gateway.port"])).error.code).toBe("NOT_FOUND");
  });

  it("warn about an unknown key", async () => {
    using place = new Place();
    const { code, stdout, stderr } = await place.run(["config", "set", "gateway.prt", "5"]);
    expect([code, stdout.startsWith("Set gateway.prt in ")]).toEqual([0, true]);
    expect(stderr).toMatch(/^Warning: .*Unknown key "gateway\.prt": did you mean "gateway\.port"\?\n$/);
    expect((await place.run(["config", "set", "gateway.port", "5"])).stderr).toBe("");
  });

  it("accept JSON5, plain text or standard input, depending on the setting", async () => {
    using place = new Place();
    const set = async (path: string, value: string, input?: string) => {
      await place.json(["config", "set", path, value], input === undefined ? {} : { input });
      return (await place.json(["config", "get", path])).value;
    };
    expect(await set("models.default", "123")).toBe("123");
    expect(await set("sessions.tree_enabled", "false")).toBe(false);
    expect(await set("sessions.retention", "{ max_age_days: 365 }")).toEqual({ max_age_days: 365 });
    expect(await set("tools.allow", "['a', 'b']")).toEqual(["a", "b"]);
    expect(await set("ui.note", "two words")).toBe("two words");
    expect(await set("models.default", "-", "from/stdin\n")).toBe("from/stdin");
    expect(await set('env.vars["A.B"]', "x")).toBe("…");
  });

  it("from many processes at once lose no change", async () => {
    using place = new Place();
    const keys = Array.from({ length: 8 }, (_, index) => `k${index}`);
    const results = await Promise.all(keys.map((key) => place.run(["config", "set", `ui.${key}`, key])));
    expect(results.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(keys.map(() => "0"));
    expect(Object.keys((await place.json(["config", "get", "ui"])).value).toSorted()).toEqual(keys);
    expect(readdirSync(place.state).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("config validate", () => {
  it("accepts a valid config, and only mentions unused sections", async () => {
    using place = new Place();
    write(place, "colloquy.json", "{ models: {}, cron: {} }");
    const { code, stdout } = await place.run(["config", "validate"]);
    expect(code).toBe(0);
    expect(stdout).toContain('The section "cron" is not used yet');
    expect(await place.json(["config", "validate"])).toMatchObject({
      ok: true,
      findings: [{ code: "unused-section" }],
    });
  });

  it("lists every problem with file, line, column and path, and exits with 3", async () => {
    using place = new Place();
    write(
      place,
      "colloquy.json",
      `{\n  gateway: { port: 'x' },\n  gatway: 1,\n  ui: { a: '\${GONE}', b: '\${low}' } }`,
    );
    const { code, stdout } = await place.run(["config", "validate", "--json"]);
    const { ok, findings } = JSON.parse(stdout);
    expect([code, ok]).toEqual([3, false]);
    const seen = findings.map(
      (found: Record<string, unknown>) =>
        `${found.severity} ${found.code} ${found.path} ${found.line}:${found.column}`,
    );
    expect(seen).toEqual([
      "error missing-variable ui.a 4:12",
      "warning lower-case-variable ui.b 4:26",
      "error wrong-value gateway.port 2:20",
      "warning unknown-key gatway 3:11",
      "info unused-section ui 4:7",
    ]);
  });

  it("reports a file that cannot be parsed as a finding", async () => {
    using place = new Place();
    write(place, "colloquy.json", "{ a: }");
    const { code, stdout } = await place.run(["config", "validate", "--json"]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout).findings).toMatchObject([
      { severity: "error", line: 1, column: 6, message: "Expected a value" },
    ]);
  });
});

describe("config explain, path and schema", () => {
  it("explain where a value comes from and what it means", async () => {
    using place = new Place();
    write(place, "colloquy.json", "{ $include: 'more.json5' }");
    write(place, "more.json5", `\n{ hooks: { token: '\${HOOK_TOKEN}' } }`);
    write(place, ".env", "HOOK_TOKEN=a-secret-of-some-length\n");
    expect(await place.json(["config", "explain", "hooks.token"])).toEqual({
      path: "hooks.token",
      value: "…ngth",
      source: {
        file: place.path("state/more.json5"),
        line: 2,
        column: 19,
        origin: "env",
        via: `${place.path("state/colloquy.json")}:1:13`,
        variables: ["HOOK_TOKEN"],
      },
      variables: [{ name: "HOOK_TOKEN", from: ".env" }],
      description: "The token that callers must send",
      type: "a string",
      default: null,
      secret: true,
      used: false,
    });
    const { stdout } = await place.run(["config", "explain", "gateway.port"]);
    expect(stdout).toContain(
      "gateway.port = 18789\nThe port to listen on\nType: an integer from 1 to 65535\n",
    );
    expect(stdout).toContain("Source: the defaults");
  });

  it("show the path of the file, even if it is broken", async () => {
    using place = new Place();
    write(place, "colloquy.json", "{ broken");
    expect(await place.json(["config", "path"])).toEqual({
      file: place.path("state/colloquy.json"),
      exists: true,
      adopted: false,
      stateDir: place.state,
    });
  });

  it("print a JSON Schema", async () => {
    using place = new Place();
    expect((await place.json(["config", "schema"])).properties.gateway.properties.port.default).toBe(18789);
  });
});

describe("the config of an OpenClaw", () => {
  it("is read, named, and copied by the first change", async () => {
    using place = new Place();
    const env = { OPENCLAW_STATE_DIR: place.path("claw") };
    mkdirSync(place.path("claw"));
    writeFileSync(place.path("claw/clawdbot.json"), "{ gateway: { port: 4 } } // theirs");
    const { stdout, stderr } = await place.run(["config", "get", "gateway.port"], { env });
    expect([stdout, stderr]).toEqual(["4\n", expect.stringContaining("config of OpenClaw is only read")]);
    await place.json(["config", "set", "gateway.mode", "remote"], { env });
    expect(read(place)).toContain("// theirs");
    expect(readFileSync(place.path("claw/clawdbot.json"), "utf8")).toBe("{ gateway: { port: 4 } } // theirs");
    expect(readdirSync(place.path("claw"))).toEqual(["clawdbot.json"]);
  });
});
