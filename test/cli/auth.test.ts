import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { has, lacks } from "../process/child-process.ts";
import { BIN, Place, type Result } from "./run-command.ts";

const KEY = "sk-ant-0123456789-abcd";

describe("auth add", () => {
  it("reads a secret from standard input and shows its last four characters", async () => {
    using place = new Place();
    const { profile } = await place.json(["auth", "add", "anthropic", "--stdin"], { input: `${KEY}\n` });
    expect(profile).toEqual({
      id: "anthropic:default",
      provider: "anthropic",
      kind: "api-key",
      origin: "colloquy",
      source: { type: "sealed", name: null },
      masked: "…abcd",
      problem: null,
      email: null,
      expiresAt: null,
      createdAt: expect.stringMatching(/Z$/),
      lastUsed: null,
      lastFailed: null,
      lastFailure: null,
      failureCount: 0,
      cooldownUntil: null,
    });
    const listed = await place.json(["auth", "list"]);
    expect(listed).toEqual({ profiles: [profile], order: {}, problems: [] });
  });

  it("keeps references, and warns at once when they do not resolve", async () => {
    using place = new Place();
    const added = await place.run(["auth", "add", "openai", "work", "--from-env", "NO_SUCH_KEY"]);
    expect(added).toMatchObject({ code: 0, stdout: "Added openai:work: api-key, variable NO_SUCH_KEY\n" });
    expect(added.stderr).toContain("the variable NO_SUCH_KEY is not set");
    expect((await place.run(["auth", "test", "openai:work"])).code).toBe(3);
    const env = { NO_SUCH_KEY: "sk-0123456789-wxyz" };
    expect(await place.json(["auth", "test", "openai:work"], { env })).toMatchObject({
      ok: true,
      problem: null,
      warnings: [],
      profile: { masked: "…wxyz" },
    });
  });

  it("reads variables of the state folder's .env too", async () => {
    using place = new Place();
    mkdirSync(place.state, { mode: 0o700 });
    writeFileSync(place.path("state", ".env"), "DOTENV_KEY=sk-0123456789-dote\n", { mode: 0o600 });
    await place.json(["auth", "add", "openai", "--from-env", "DOTENV_KEY"]);
    expect(await place.json(["auth", "test", "openai:default"])).toMatchObject({
      profile: { masked: "…dote" },
    });
  });

  it("accepts the tokens of a sign-in as JSON", async () => {
    using place = new Place();
    const tokens = {
      access_token: "access-0123456789",
      refresh_token: "refresh-0123456789",
      expires_in: "3600",
    };
    const input = JSON.stringify(tokens);
    const { profile } = await place.json(["auth", "add", "x", "--kind", "oauth", "--stdin"], { input });
    expect(profile).toMatchObject({ kind: "oauth", masked: "…6789" });
    expect(Date.parse(profile.expiresAt)).toBeGreaterThan(Date.now() + 3_000_000);
  });

  it.each([
    ["seconds", { expires_at: 1_900_000_000 }],
    ["seconds as text", { expires_at: "1900000000" }],
    ["milliseconds", { expiresAt: 1_900_000_000_000 }],
    ["a time", { expiresAt: "2030-03-17T17:46:40Z" }],
  ])("accepts the expiry of a sign-in in %s", async (_what, expiry) => {
    using place = new Place();
    const input = JSON.stringify({ access_token: "access-0123456789", ...expiry });
    const { profile } = await place.json(["auth", "add", "x", "--kind", "oauth", "--stdin"], { input });
    expect(profile).toMatchObject({ expiresAt: "2030-03-17T17:46:40.000Z", problem: null });
  });

  it("needs no secret for AWS", async () => {
    using place = new Place();
    const env = { AWS_PROFILE: "work" };
    const { profile } = await place.json(["auth", "add", "bedrock", "--kind", "aws-sdk"], { env });
    expect(profile).toMatchObject({ id: "amazon-bedrock:default", source: { type: "none" }, problem: null });
  });

  it.each<[string, string[], number, string]>([
    ["no source", ["openai"], 2, "Specify the secret"],
    ["two sources", ["openai", "--stdin", "--from-env", "A"], 2, "cannot be given together"],
    ["a wrong kind", ["openai", "--kind", "password", "--stdin"], 2, "--kind must be one of"],
    ["a wrong time", ["openai", "--expires", "tomorrow", "--stdin"], 2, "--expires must be a time"],
    ["a secret for AWS", ["bedrock", "--kind", "aws-sdk", "--stdin"], 2, "the SDK finds its own"],
    [
      "a pipe in the command",
      ["openai", "--from-command", "pass show x | head"],
      1,
      "The command runs without a shell",
    ],
    ["a wrong agent", ["openai", "--stdin", "--agent", "../x"], 1, "The id of an agent"],
    ["a key as the provider", [KEY, "--stdin"], 1, "looks like a secret"],
    ["a key as the name", ["openai", KEY, "--stdin"], 1, "looks like a secret"],
    ["a key as the variable", ["openai", "--from-env", KEY], 1, "the name of a variable"],
    ["a key as the file", ["openai", "--from-file", KEY], 1, "looks like a secret"],
    ["a key as the command", ["openai", "--from-command", KEY], 1, "looks like a secret"],
    ["a key after the name", ["openai", "work", KEY], 2, 'Unexpected argument "…"'],
    ["a key as an option", ["openai", `--${KEY}`], 2, "Unknown option --… for"],
    ["the expiry of a key", ["openai", "--expires", "2030-01-01T00:00:00Z", "--stdin"], 2, "does not expire"],
    ["an empty secret", ["openai", "--stdin"], 1, "The secret is empty"],
  ])("refuses %s, and changes nothing", async (_what, args, code, message) => {
    using place = new Place();
    const failed = await place.failure(["auth", "add", ...args]);
    expect(failed.code).toBe(code);
    expect(failed.error.message).toContain(message);
    expect(JSON.stringify(failed)).not.toContain("0123456789");
    expect(existsSync(place.state)).toBe(false);
  });

  it.skipIf(lacks(has("script"), "the prompt for a secret: script is not installed"))(
    "asks on a terminal, and does not show what is typed",
    () => {
      using place = new Place();
      const command = `${process.execPath} ${BIN} auth add anthropic --state-dir ${place.state}`;
      const args = ["-qec", command, "/dev/null"];
      // One key after the other, as a user types them, with one mistake corrected.
      const typed = spawnSync(
        "sh",
        ["-c", `(sleep 2; printf 'sk-ant-0123456789-abx\\177cd\\r'; sleep 2) | script "$@"`, "-", ...args],
        {
          encoding: "utf8",
          timeout: 120_000,
        },
      );
      expect(typed.stdout).toContain("Secret (not shown): ");
      expect(typed.stdout).toContain("Added anthropic:default: api-key, sealed, …abcd");
      expect(typed.stdout).not.toContain("0123456789");
    },
  );
});

it.each([[["auth", KEY]], [[KEY]], [["auth", "list", KEY]], [["auth", "add", "x", "--kind", `-${KEY}`]]])(
  "a key in the wrong place is not repeated: %j",
  async (args) => {
    using place = new Place();
    const failed = await place.failure(args);
    expect(failed.code).toBe(2);
    expect(failed.error.message).toContain("…");
    expect(JSON.stringify(failed)).not.toContain("0123456789");
  },
);

describe("auth order, test and remove", () => {
  it("do what they say", async () => {
    using place = new Place();
    for (const name of ["a", "b", "c"])
      await place.json(["auth", "add", "x", name, "--stdin"], { input: `secret-of-${name}-0123` });
    expect(await place.json(["auth", "order", "x", "x:c", "x:b"])).toEqual({
      provider: "x",
      order: ["x:c", "x:b", "x:a"],
    });
    expect((await place.json(["auth", "list"])).order).toEqual({ x: ["x:c", "x:b"] });
    expect((await place.run(["auth", "test", "x:c"])).stdout).toBe("x:c can be used: sealed, …0123\n");
    expect(await place.json(["auth", "remove", "x:c"])).toEqual({ removed: "x:c" });
    expect((await place.json(["auth", "order", "x", "--reset"])).order).toEqual(["x:a", "x:b"]);
    const missing = await place.failure(["auth", "remove", "x:c"]);
    expect(missing).toMatchObject({ code: 1, error: { code: "NOT_FOUND" } });
    expect(missing.error.message).toBe('There is no profile "x:c": the profiles are x:a, x:b');
  });

  it("work with a broken config, with a warning", async () => {
    using place = new Place();
    await place.json(["auth", "add", "x", "--stdin"], { input: "secret-0123456789" });
    writeFileSync(place.path("state", "colloquy.json"), "{ models: ", { mode: 0o600 });
    const { code, stdout, stderr } = await place.run(["auth", "list"]);
    expect({ code, listed: stdout.includes("x:default") }).toEqual({ code: 0, listed: true });
    expect(stderr).toMatch(/^Warning: .*colloquy\.json/);
  });
});

describe("a damaged file of profiles", () => {
  it("is an error each time, and adding starts a new file", async () => {
    using place = new Place();
    const folder = place.path("state", "agents", "main", "auth");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const text = `{"profiles": {"a:b": {"credential": "${KEY}`;
    writeFileSync(`${folder}/profiles.json`, text, { mode: 0o600 });
    for (const _time of [1, 2]) {
      const { code, error } = await place.failure(["auth", "list"]);
      expect({ code, kept: error.message.includes("profiles.json.damaged-") }).toEqual({
        code: 1,
        kept: true,
      });
      expect(error.message).not.toContain(KEY);
    }
    await place.json(["auth", "add", "x", "--stdin"], { input: "secret-0123456789" });
    expect((await place.json(["auth", "list"])).profiles).toHaveLength(1);
    const aside = readdirSync(folder).find((name) => name.includes("damaged")) ?? "";
    expect(readFileSync(`${folder}/${aside}`, "utf8")).toContain(KEY);
  });
});

describe("planted secrets", () => {
  /** One of each kind and source; the test searches everywhere for the word in the middle. */
  const secret = (name: string): string => `sk-ant-CANARY-${name}-0123456789`;

  async function plant(place: Place): Promise<{ env: Record<string, string>; ran: Result[] }> {
    const file = place.path("key");
    writeFileSync(file, secret("file"), { mode: 0o600 });
    const open = place.path("open");
    writeFileSync(open, secret("open"));
    chmodSync(open, 0o644);
    const openclaw = place.path("openclaw", "agents", "main", "agent");
    mkdirSync(openclaw, { recursive: true });
    const adopted = {
      "anthropic:old": { type: "api_key", provider: "anthropic", key: secret("adopted") },
      "openai:old": {
        type: "oauth",
        provider: "openai",
        access: secret("access"),
        refresh: secret("refresh"),
        expires: 1,
      },
      "odd:old": { type: "odd", key: secret("odd") },
    };
    writeFileSync(`${openclaw}/auth-profiles.json`, JSON.stringify({ version: 1, profiles: adopted }));
    mkdirSync(place.state, { mode: 0o700 });
    const config = {
      models: {
        providers: {
          mine: {
            baseUrl: `https://u:${secret("url")}@h.example/v1?k=${secret("query")}`,
            apiKey: secret("config"),
          },
        },
      },
    };
    writeFileSync(place.path("state", "colloquy.json"), JSON.stringify(config), { mode: 0o600 });
    const env = {
      OPENCLAW_STATE_DIR: place.path("openclaw"),
      CANARY_KEY: secret("env"),
      ANTHROPIC_API_KEY: secret("anthropic"),
      OPENAI_API_KEY: secret("openai"),
      GEMINI_API_KEY: secret("gemini"),
      OPENROUTER_API_KEY: secret("openrouter"),
      AWS_ACCESS_KEY_ID: "AKIACANARY0123456789",
      AWS_SECRET_ACCESS_KEY: secret("aws"),
    };
    const oauth = JSON.stringify({
      accessToken: secret("oauth"),
      refreshToken: secret("oauth-refresh"),
      expiresAt: 1,
    });
    const add = (args: string[], input = ""): Promise<Result> =>
      place.run(["auth", "add", ...args], { env, input });
    const ran = await Promise.all([
      add(["a", "--stdin"], secret("stdin")),
      add(["a", "token", "--kind", "token", "--stdin"], secret("token")),
      add(["a", "oauth", "--kind", "oauth", "--stdin"], oauth),
      add(["a", "cut", "--kind", "oauth", "--stdin"], oauth.slice(0, -9)),
      add(["a", "env", "--from-env", "CANARY_KEY"]),
      add(["a", "wrong-env", "--from-env", secret("as-name")]),
      add(["a", "file", "--from-file", file]),
      add(["a", "open", "--from-file", open]),
      add(["a", "command", "--from-command", `printf ${secret("command")}`]),
      add([
        "a",
        "failing",
        "--from-command",
        `sh -c 'echo ${secret("out")}; echo ${secret("err")} >&2; exit 3'`,
      ]),
      add(["a", "spaces", "--stdin"], `${secret("two")} ${secret("words")}`),
      add([secret("as-provider"), "--stdin"], secret("stdin")),
      add(["a", secret("as-second"), "--stdin"], secret("stdin")),
    ]);
    return { env, ran };
  }

  it("appear neither in the output nor in any file", async () => {
    using place = new Place();
    const { env, ran } = await plant(place);
    const { profiles } = await place.json(["auth", "list"], { env });
    expect(profiles).toHaveLength(11);
    const commands = [
      ["auth", "list"],
      ["auth", "order", "a"],
      ["auth", "remove", secret("as-id")],
      ["auth", "test", `a:${secret("as-id")}`],
      ["models", "list"],
      ["models", "write"],
      ...profiles.map(({ id }: { id: string }) => ["auth", "test", id]),
    ];
    for (const command of commands) {
      ran.push(
        ...(await Promise.all([command, [...command, "--json"]].map((args) => place.run(args, { env })))),
      );
    }
    const printed = ran.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    expect(printed).not.toContain("CANARY-");
    expect(printed).not.toContain("AKIACANARY");
    // It was indeed searched.
    expect(printed).toContain("…6789");
    expect(printed).toContain("exited with code 3");
    const files = readdirSync(place.path("state", "agents"), { recursive: true, withFileTypes: true });
    const written = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(`${file.parentPath}/${file.name}`, "utf8"))
      .join("\n");
    expect(written).toContain('"https://h.example/v1"');
    // A command is stored in plain text: it says how to get a secret and must not contain one.
    expect(written.replaceAll(/"command": \[[^\]]*\]/g, "")).not.toContain("CANARY-");
  });
});
