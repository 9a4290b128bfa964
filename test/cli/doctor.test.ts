import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DoctorPlace } from "./doctor-place.ts";
import type { Printed } from "./run-command.ts";

const HOUR_MS = 3_600_000;
const APPEND = ["sessions", "append", "notes:a", "--role", "user", "--content", "Hi"];

function profiles(listed: object, usage: object = {}): object {
  return { version: 1, profiles: listed, order: {}, usage };
}

function byCode(findings: readonly Printed[], code: string): Printed {
  return findings.find((found) => found.code === code);
}

describe("doctor and the config", () => {
  it("names the file, line and column of each problem, and what to do", async () => {
    using place = new DoctorPlace();
    const file = place.write(
      "colloquy.json",
      `{\n  gateway: { port: "many" },\n  gatewy: {},\n  models: { default: "\${NOT_SET_HERE}" },\n  ui: {},\n}\n`,
    );
    const { code, ok, findings, codes } = await place.doctor();
    expect({ code, ok }).toEqual({ code: 3, ok: false });
    expect(codes).toEqual([
      "error config-missing-variable",
      "error config-wrong-value",
      "warning config-unknown-key",
      "note config-unused-section",
      "note no-store",
    ]);
    const wrong = byCode(findings, "config-wrong-value");
    expect(wrong.what).toMatch(`${file}:2:20: gateway.port must be`);
    expect(wrong.fix).toContain("config explain gateway.port");
    expect(byCode(findings, "config-missing-variable").fix).toContain(".env");
    expect(byCode(findings, "config-unused-section").what).toMatch(/: ui$/);
  });

  it("reports a config that cannot be parsed, and continues", async () => {
    using place = new DoctorPlace();
    const file = place.write("colloquy.json", "{\n  gateway: {\n");
    const { codes, findings } = await place.doctor();
    expect(codes).toEqual(["error config-not-readable", "note no-store"]);
    expect(findings[0].what).toContain(`${file}:2:12:`);
  });

  it("accepts a config of OpenClaw, and says that it is one", async () => {
    using place = new DoctorPlace();
    mkdirSync(place.path(".openclaw"));
    writeFileSync(place.path(".openclaw", "openclaw.json"), "{ tools: {}, ui: {} }");
    const { code, codes, findings } = await place.doctor();
    expect(code).toBe(0);
    expect(codes).toContain("note config-adopted");
    expect(byCode(findings, "config-unused-section").what).toMatch(/: ui$/);
    expect(existsSync(place.state)).toBe(false);
  });
});

describe("doctor and permissions", () => {
  it("finds folders and files at any depth", async () => {
    using place = new DoctorPlace();
    const config = place.write("colloquy.json", "{}");
    place.write("agents/main/auth/profiles.json", profiles({}));
    chmodSync(place.path("state", "agents", "main"), 0o750);
    chmodSync(place.path("state", "agents", "main", "auth"), 0o755);
    chmodSync(config, 0o640);
    const { codes, findings } = await place.doctor();
    expect(codes).toEqual(["warning open-folder", "warning open-file", "note no-store"]);
    expect(findings[0].what).toMatch(/agents\/main and 1 more$/);
    expect(findings[0].fix).toMatch(/^Remove their access: find .* -type d -exec chmod 700/);
    expect(findings[1].what).toContain(config);
  });

  it("reports a file where the state folder should be", async () => {
    using place = new DoctorPlace();
    writeFileSync(place.state, "a file");
    expect((await place.doctor()).codes).toContain("error not-a-folder");
  });
});

describe("doctor and credentials", () => {
  it("reports secrets that are missing, expired or paused", async () => {
    using place = new DoctorPlace();
    const now = Date.now();
    const secret = place.path("secret");
    writeFileSync(secret, "sk-0123456789abcdef", { mode: 0o644 });
    const listed = {
      "openai:unset": {
        provider: "openai",
        credential: { type: "api-key", apiKey: { env: "NOT_SET_HERE" } },
      },
      "openai:set": { provider: "openai", credential: { type: "api-key", apiKey: { env: "FROM_DOT_ENV" } } },
      "openai:gone": { provider: "openai", credential: { type: "api-key", apiKey: { file: `${secret}-2` } } },
      "openai:open": { provider: "openai", credential: { type: "api-key", apiKey: { file: secret } } },
      "xai:old": {
        provider: "xai",
        credential: { type: "token", token: { env: "HOME" }, expiresAt: now - 1 },
      },
      "xai:new": {
        provider: "xai",
        credential: {
          type: "oauth",
          accessToken: { env: "HOME" },
          refreshToken: { env: "HOME" },
          expiresAt: now - 1,
        },
      },
      "bedrock:x": "no profile",
    };
    place.write(".env", "FROM_DOT_ENV=sk-fedcba9876543210\n");
    place.write(
      "agents/main/auth/profiles.json",
      profiles(listed, { "openai:set": { cooldownUntil: now + HOUR_MS } }),
    );
    const { findings } = await place.doctor();
    const told = findings.map(({ code, severity, what }: Printed) => {
      return `${severity} ${code} ${/Profile (\S+)/.exec(what)?.[1] ?? ""}`;
    });
    expect(told).toEqual([
      "note no-store ",
      "warning unreadable-profiles ",
      "warning missing-secret openai:unset",
      "note resting-profile openai:set",
      "warning missing-secret openai:gone",
      "warning missing-secret openai:open",
      "warning expired-token xai:old",
      "note expired-token xai:new",
      "note no-models ",
    ]);
    expect(byCode(findings, "missing-secret").fix).toContain("auth add openai unset --replace");
  });

  it("opens sealed secrets, and reports a missing key and damage", async () => {
    using place = new DoctorPlace();
    const add = ["auth", "add", "anthropic", "--stdin"];
    expect((await place.command(add, {}, "sk-ant-0123456789abcdef")).code).toBe(0);
    expect((await place.doctor()).codes).toEqual(["note no-store", "note no-models"]);
    const file = place.path("state", "agents", "main", "auth", "profiles.json");
    const sound = readFileSync(file, "utf8");
    writeFileSync(file, sound.replace(/"data": "..../, '"data": "AAAA'));
    expect((await place.doctor()).codes).toContain("error damaged-secret");
    writeFileSync(file, sound);
    const keys = place.path("state", "credentials", "seal-keys.json");
    writeFileSync(keys, "{ no json");
    expect((await place.doctor()).codes).toEqual(["note no-store", "error damaged-keys", "note no-models"]);
    writeFileSync(keys, JSON.stringify({ version: 1, keys: {} }));
    const { code, codes } = await place.doctor();
    expect(code).toBe(3);
    expect(codes).toContain("error missing-key");
    const there = {
      keys: {
        [JSON.parse(sound).profiles["anthropic:default"].credential.apiKey.sealed.key]: {
          store: "secret-tool",
        },
      },
    };
    writeFileSync(keys, JSON.stringify(there));
    expect((await place.doctor()).codes).toContain("warning missing-key");
  });

  it("runs no command for a secret", async () => {
    using place = new DoctorPlace();
    const marker = place.path("was-run");
    const credential = { type: "api-key", apiKey: { command: ["touch", marker] } };
    place.write(
      "agents/main/auth/profiles.json",
      profiles({ "openai:x": { provider: "openai", credential } }),
    );
    expect((await place.doctor(["--fix"])).code).toBe(0);
    expect(existsSync(marker)).toBe(false);
  });

  it("leaves damaged profiles in place, and remembers those that were set aside", async () => {
    using place = new DoctorPlace();
    place.write("agents/main/auth/profiles.json", '{ "profiles": {');
    const { codes, findings } = await place.doctor(["--fix"]);
    expect(codes).toEqual(["note no-store", "error damaged-profiles"]);
    expect(findings[1].what).toContain("line 1, column 16");
    expect(readdirSync(place.path("state", "agents", "main", "auth"))).toEqual(["profiles.json"]);
    expect((await place.command(["auth", "list"])).code).toBe(1);
    expect((await place.doctor()).codes).toEqual([
      "note no-store",
      "error damaged-profiles",
      "note set-aside",
    ]);
  });

  it("uses the profiles of OpenClaw, and reports it", async () => {
    using place = new DoctorPlace();
    const folder = place.path(".openclaw", "agents", "main", "agent");
    mkdirSync(folder, { recursive: true });
    const listed = { "xai:work": { type: "api_key", provider: "xai", key: `\${NOT_SET_HERE}` } };
    writeFileSync(`${folder}/auth-profiles.json`, JSON.stringify({ profiles: listed }));
    const { findings, codes } = await place.doctor();
    expect(codes).toEqual([
      "note no-state-folder",
      "note no-store",
      "note adopted-profiles",
      "warning missing-secret",
      "note no-models",
    ]);
    expect(byCode(findings, "missing-secret").fix).toContain("OpenClaw");
    const alone = await place.doctor(["--profile", "other"], { COLLOQUY_STATE_DIR: "" });
    expect(alone.codes).toEqual(["note no-state-folder", "note no-store"]);
  });
});

describe("doctor", () => {
  it("reports files that repairs have set aside, as notes", async () => {
    using place = new DoctorPlace();
    await place.command(APPEND);
    place.write("agents/main/sessions/sessions.json.damaged-20260101000000000", "x");
    place.write("chats/a.jsonl.torn-20260101000000000", "x");
    place.write("chats/a.jsonl.bad-20260101000000000-2", "x");
    const { code, codes, findings } = await place.doctor();
    expect({ code, codes }).toEqual({ code: 0, codes: ["note set-aside"] });
    expect(findings[0].what).toMatch(/ and 2 more$/);
  });

  it("changes nothing without --fix", async () => {
    using place = new DoctorPlace();
    await place.command([...APPEND, "--store", `jsonl:${place.path("chats")}`]);
    const open = [
      place.write("colloquy.json", "{ models: { providers: { openai: {} } } }"),
      place.write("agents/main/auth/profiles.json", profiles({})),
      place.write("agents/main/models.json", "{}"),
      place.write("credentials/seal-keys.json", { version: 1, keys: {} }),
    ];
    place.write("agents/main/sessions/sessions.json", "{ damaged");
    place.write("agents/two/sessions/sessions.json", {
      "notes:b": { sessionId: "x", updatedAt: 1, managedBy: "colloquy" },
    });
    place.write("agents/two/auth/profiles.json", "{ damaged");
    for (const path of [...open, place.path("chats", "store.json")]) chmodSync(path, 0o644);
    chmodSync(place.path("state", "agents"), 0o755);
    const before = place.everything();
    const { codes } = await place.doctor([], { COLLOQUY_STORE: `jsonl:${place.path("chats")}` });
    expect(codes).toEqual([
      "warning open-folder",
      "warning open-file",
      "warning open-file",
      "error damaged-index",
      "warning index-differs",
      "note old-models",
      "error damaged-profiles",
    ]);
    expect(place.everything()).toEqual(before);
  });

  it("shows no part of a secret", async () => {
    const canary = "canary-7d1f0a5c93e24b68";
    using place = new DoctorPlace();
    const credential = { type: "token", token: canary, expiresAt: 1 };
    place.write(
      "agents/main/auth/profiles.json",
      profiles({ "openai:x": { provider: "openai", credential } }),
    );
    place.write("agents/two/auth/profiles.json", `{"profiles": {"a:b": "${canary}" oops`);
    place.write("credentials/seal-keys.json", `{"keys": {"0123456789ab": {"key": "${canary}"}}}`);
    place.write(".env", `OPENAI_API_KEY=${canary}\nBROKEN ${canary}\n`);
    const configs = [
      `{ gateway: { port: "${canary}", auth: { mode: "${canary}" } }, models: { default: 7 } }`,
      `{ gateway: { auth: { token: "${canary}" oops } } }`,
      `{ models: { providers: { mine: { baseUrl: "http://x/${canary}" } } } }`,
      `{ models: { default: "\${CANARY}", providers: { mine: { baseUrl: "http://x/\${CANARY}" } } } }`,
    ];
    for (const config of configs) {
      place.write("colloquy.json", config);
      for (const args of [
        ["doctor"],
        ["doctor", "--json"],
        ["doctor", "--fix"],
        ["doctor", "--fix", "--json"],
      ]) {
        const { code, stdout, stderr } = await place.command(args, { CANARY: canary, MY_TOKEN: canary });
        expect(code).toBe(3);
        expect(stdout + stderr).not.toContain(canary.slice(7, 15));
        expect(stdout).toContain("damaged");
      }
    }
  });
});
