import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { type FileIo, systemIo } from "../../disk/file-io.ts";
import { type Credentials, openCredentials } from "./credentials.ts";
import type { CredentialsOptions } from "./options.ts";

const NOW = 1_800_000_000_000;
const KEY = "sk-ant-0123456789-abcd";

class Setup {
  readonly state = tempFolder();
  readonly notices: string[] = [];
  now = NOW;
  readonly env: Record<string, string> = { PATH: process.env.PATH ?? "" };
  readonly folder = join(this.state, "agents", "main", "auth");
  readonly file = join(this.folder, "profiles.json");

  open(options: Partial<CredentialsOptions> = {}): Credentials {
    return openCredentials({
      stateDir: this.state,
      env: this.env,
      clock: () => this.now,
      platform: "none",
      onNotice: (text) => void this.notices.push(text),
      ...options,
    });
  }
}

describe("a credential", () => {
  it("is sealed in the file and returned by resolve", async () => {
    const setup = new Setup();
    const view = await setup.open().add({ provider: "Anthropic", secret: { value: `${KEY}\n` } });
    expect(view).toEqual({
      id: "anthropic:default",
      provider: "anthropic",
      kind: "api-key",
      origin: "colloquy",
      source: { type: "sealed", name: null },
      masked: "…abcd",
      problem: null,
      expiresAt: null,
      createdAt: NOW,
      email: null,
    });
    expect(readFileSync(setup.file, "utf8")).not.toContain("0123456789");
    expect(statSync(setup.file).mode & 0o777).toBe(0o600);
    expect(statSync(setup.folder).mode & 0o777).toBe(0o700);
    const resolved = await setup.open().resolve("anthropic");
    expect(resolved.value).toBe(KEY);
    expect(resolved.profileId).toBe("anthropic:default");
    expect(`${JSON.stringify(resolved)}${inspect(resolved)}`).not.toContain(KEY);
  });

  it.each([
    [{ env: "MY_KEY" }, { type: "env", name: "MY_KEY" }],
    [{ command: ["printf", KEY] }, { type: "command", name: "printf" }],
  ])("stays a reference: %j", async (secret, source) => {
    const setup = new Setup();
    setup.env.MY_KEY = KEY;
    const view = await setup.open().add({ provider: "anthropic", secret });
    expect(view.source).toEqual(source);
    expect(JSON.parse(readFileSync(setup.file, "utf8")).profiles["anthropic:default"].credential).toEqual({
      type: "api-key",
      apiKey: secret,
    });
    expect((await setup.open().resolve("anthropic:default")).value).toBe(KEY);
  });

  it("that another program wrote in plain text works, and is sealed at the next write", async () => {
    const setup = new Setup();
    mkdirSync(setup.folder, { recursive: true });
    const credential = { type: "token", token: KEY, expiresAt: NOW + 5 };
    const profiles = { "x:y": { provider: "x", credential, colour: "red" }, "x:odd": { provider: "x" } };
    writeFileSync(setup.file, JSON.stringify({ version: 1, profiles, more: [1] }), { mode: 0o600 });
    const credentials = setup.open();
    expect((await credentials.resolve("x")).value).toBe(KEY);
    expect((await credentials.report()).problems).toEqual([`${setup.file}: cannot read 1 of its profiles`]);
    await credentials.markUsed("x:y");
    const text = readFileSync(setup.file, "utf8");
    expect(text).not.toContain(KEY);
    expect(JSON.parse(text)).toMatchObject({
      more: [1],
      profiles: { "x:y": { colour: "red" }, "x:odd": {} },
    });
    expect((await setup.open().resolve("x")).value).toBe(KEY);
  });

  it("can only be unsealed by its agent, wherever the file is copied to", async () => {
    const setup = new Setup();
    await setup.open({ agentId: "ops" }).add({ provider: "x", secret: { value: KEY } });
    mkdirSync(setup.folder, { recursive: true, mode: 0o700 });
    const theirs = readFileSync(join(setup.state, "agents", "ops", "auth", "profiles.json"));
    writeFileSync(setup.file, theirs, { mode: 0o600 });
    await expect(setup.open().resolve("x")).rejects.toThrow("sealed for another agent");
    expect((await setup.open({ agentId: "ops" }).resolve("x")).value).toBe(KEY);
  });

  it("in a variable with an odd name does not break the list", async () => {
    const credentials = new Setup().open();
    await credentials.add({ provider: "x", secret: { env: "toString" } });
    expect(await credentials.list()).toMatchObject([{ problem: "the variable toString is not set" }]);
  });

  it.each(["api-key", "aws-sdk"] as const)("of the kind %s does not expire", async (kind) => {
    const secret = kind === "aws-sdk" ? {} : { secret: { value: KEY } };
    await expect(
      new Setup().open().add({ provider: "x", kind, ...secret, expiresAt: NOW }),
    ).rejects.toMatchObject({ code: "VALIDATION_ERROR", field: "expiresAt" });
  });

  it("is not replaced by accident", async () => {
    const credentials = new Setup().open();
    await credentials.add({ provider: "openai", secret: { value: "first-secret-aaaa" } });
    const again = { provider: "openai", secret: { value: "second-secret-bbbb" } };
    await expect(credentials.add(again)).rejects.toMatchObject({ code: "CONFLICT" });
    await credentials.markFailed("openai:default", "auth");
    const view = await credentials.add({ ...again, replace: true });
    expect(view).toMatchObject({ masked: "…bbbb" });
    expect(view.cooldownUntil).toBeUndefined();
  });

  it("survives a key rotation, and the old key is kept", async () => {
    const setup = new Setup();
    const credentials = setup.open();
    await credentials.add({ provider: "openai", secret: { value: KEY } });
    const keyOf = (): string =>
      JSON.parse(readFileSync(setup.file, "utf8")).profiles["openai:default"].credential.apiKey.sealed.key;
    const old = keyOf();
    await credentials.rotateKey();
    expect(keyOf()).not.toBe(old);
    expect((await setup.open().resolve("openai")).value).toBe(KEY);
    const keys = JSON.parse(readFileSync(join(setup.state, "credentials", "seal-keys.json"), "utf8")).keys;
    expect(Object.keys(keys)).toHaveLength(2);
  });

  it("is removed together with its usage and order", async () => {
    const setup = new Setup();
    const credentials = setup.open();
    await credentials.add({ provider: "openai", secret: { value: KEY } });
    await credentials.markUsed("openai:default");
    await credentials.setOrder("openai", ["openai:default"]);
    await credentials.remove("openai:default");
    expect(JSON.parse(readFileSync(setup.file, "utf8"))).toEqual({
      version: 1,
      profiles: {},
      order: {},
      usage: {},
    });
    await expect(credentials.remove("openai:default")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it.each([
    [{ provider: KEY, secret: { value: "x" } }, "provider"],
    [{ provider: "../x", secret: { value: "x" } }, "provider"],
    [{ provider: "__proto__", secret: { value: "x" } }, "provider"],
    [{ provider: "a", name: KEY, secret: { value: "x" } }, "name"],
    [{ provider: "a", name: "a/b", secret: { value: "x" } }, "name"],
    [{ provider: "a", secret: { env: KEY } }, "env"],
    [{ provider: "a", secret: { file: "relative" } }, "secret"],
    [{ provider: "a", secret: { value: " \n" } }, "secret"],
    [{ provider: "a" }, "secret"],
    [{ provider: "a", kind: "aws-sdk" as const, secret: { value: KEY } }, "secret"],
    [{ provider: "a", secret: { value: "x" }, refreshToken: { value: KEY } }, "refreshToken"],
    [{ provider: "a", kind: "token" as const, secret: { value: "x" }, expiresAt: Number.NaN }, "expiresAt"],
  ])("is refused before anything is written, and the error does not repeat it (%#)", async (input, field) => {
    const setup = new Setup();
    const error = await setup
      .open()
      .add(input)
      .catch((caught) => caught);
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", field });
    expect(inspect(error)).not.toContain(KEY);
    expect(existsSync(setup.folder)).toBe(false);
  });

  it("belongs to an agent whose id cannot lead outside the folder", () => {
    for (const agentId of ["../x", "", "a/b", ".", "a".repeat(129)])
      expect(() => new Setup().open({ agentId })).toThrow("The id of an agent");
  });
});

describe("the choice of a profile", () => {
  async function three(): Promise<{ setup: Setup; credentials: Credentials }> {
    const setup = new Setup();
    const credentials = setup.open();
    for (const name of ["a", "b", "c"])
      await credentials.add({ provider: "x", name, secret: { value: `secret-of-profile-${name}` } });
    return { setup, credentials };
  }

  it("is the least recently used one", async () => {
    const { setup, credentials } = await three();
    for (const [id, at] of [
      ["x:b", 1],
      ["x:a", 2],
      ["x:c", 3],
    ] as const) {
      setup.now = NOW + at;
      await credentials.markUsed(id);
    }
    expect(await credentials.order("x")).toEqual(["x:b", "x:a", "x:c"]);
    expect((await credentials.resolve("x")).profileId).toBe("x:b");
  });

  it("follows the order of the user, then the least recently used", async () => {
    const { credentials } = await three();
    await credentials.markUsed("x:a");
    await credentials.setOrder("x", ["x:c", "x:c"]);
    expect(await credentials.order("x")).toEqual(["x:c", "x:b", "x:a"]);
    await expect(credentials.setOrder("y", ["x:c"])).rejects.toThrow("x:c is not a profile of y");
    await expect(credentials.setOrder("x", ["x:d"])).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("skips paused profiles, and says when the first is available", async () => {
    const { setup, credentials } = await three();
    await credentials.markFailed("x:a", "billing");
    await credentials.markFailed("x:b", "rate-limit");
    expect(await credentials.order("x")).toEqual(["x:c", "x:b", "x:a"]);
    await credentials.markFailed("x:c", "auth");
    await expect(credentials.resolve("x")).rejects.toMatchObject({
      code: "RATE_LIMITED",
      message:
        /paused until .*: too many requests; a key was not accepted .*; an account has no credit left$/,
      details: { until: NOW + 60_000 },
    });
    // By name it is given all the same: that was a decision of the caller.
    expect((await credentials.resolve("x:a")).value).toBe("secret-of-profile-a");
    setup.now = NOW + 60_000;
    expect((await setup.open().resolve("x")).profileId).toBe("x:b");
  });

  it("tries the next profile when a secret is not available, and finally says why", async () => {
    const setup = new Setup();
    const credentials = setup.open();
    await credentials.add({ provider: "x", name: "a", secret: { env: "GONE" } });
    await credentials.add({
      provider: "x",
      name: "b",
      kind: "token",
      secret: { value: KEY },
      expiresAt: NOW + 1,
    });
    expect((await credentials.resolve("x")).profileId).toBe("x:b");
    setup.now = NOW + 2;
    await expect(credentials.resolve("x")).rejects.toThrow(
      /No profile for x can be used\. .*x:a.*GONE is not set\. .*x:b.*it expired at/,
    );
    await expect(credentials.resolve("y")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(credentials.resolve("constructor")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a test of a profile", () => {
  it.each([
    ["anthropic", "sk-ant-0123456789", true, []],
    ["anthropic", "0123456789-0123456789", true, ["It does not look like a key of anthropic"]],
    ["other", "short", true, ["It has only 5 characters"]],
    ["other", "two words of text", false, []],
    ["other", "pässwörd-of-somebody", false, []],
  ])("of %s checks the form of the secret (%s)", async (provider, value, ok, warnings) => {
    const credentials = new Setup().open();
    await credentials.add({ provider, secret: { value } });
    expect(await credentials.test(`${provider}:default`)).toMatchObject({ ok, warnings });
  });

  it("runs the command, and reports an expired token", async () => {
    const credentials = new Setup().open();
    await credentials.add({ provider: "x", secret: { command: ["printf", KEY] } });
    await credentials.add({ provider: "y", kind: "oauth", secret: { value: KEY }, expiresAt: NOW - 1 });
    expect(await credentials.test("x:default")).toMatchObject({ ok: true, profile: { masked: "…abcd" } });
    expect(await credentials.test("y:default")).toMatchObject({
      ok: false,
      problem: expect.stringContaining("expired"),
    });
  });

  it("finds AWS credentials where the SDK does", async () => {
    const setup = new Setup();
    const credentials = setup.open();
    await credentials.add({ provider: "amazon-bedrock", kind: "aws-sdk" });
    expect(await credentials.test("amazon-bedrock:default")).toMatchObject({ ok: false });
    setup.env.AWS_ACCESS_KEY_ID = "AKIA0123456789";
    expect(await credentials.test("amazon-bedrock:default")).toMatchObject({ ok: false });
    setup.env.AWS_SECRET_ACCESS_KEY = KEY;
    expect(await credentials.test("amazon-bedrock:default")).toMatchObject({ ok: true });
    expect((await credentials.resolve("amazon-bedrock")).value).toBeUndefined();
  });
});

describe("a damaged file", () => {
  function damage(setup: Setup, text: string): void {
    mkdirSync(setup.folder, { recursive: true, mode: 0o700 });
    writeFileSync(setup.file, text, { mode: 0o600 });
  }

  it.each(['{"profiles": {\n "a:b": { "apiKey": "sk-canary-1234" ', "", "[]", '{"profiles": 3}', "\0\0\0"])(
    "is set aside and never read as empty (%j)",
    async (text) => {
      const setup = new Setup();
      damage(setup, text);
      const error = await setup
        .open()
        .list()
        .catch((caught) => caught);
      expect(error).toMatchObject({ code: "VALIDATION_ERROR", details: { line: expect.any(Number) } });
      expect(inspect(error)).not.toContain("canary");
      const [aside] = readdirSync(setup.folder).filter((name) => name.startsWith("profiles.json.damaged-"));
      expect(readFileSync(join(setup.folder, aside as string), "utf8")).toBe(text);
      expect(error.message).toContain(aside);
      for (const use of ["list", "resolve", "markUsed"] as const)
        await expect(setup.open()[use]("a:b"), use).rejects.toThrow(
          `is kept as ${join(setup.folder, aside as string)}`,
        );
    },
  );

  it("is ignored after the user starts over", async () => {
    const setup = new Setup();
    damage(setup, "{");
    await setup.open().add({ provider: "x", secret: { value: KEY } });
    expect(setup.notices).toEqual([expect.stringContaining("is kept as")]);
    expect((await setup.open().list()).map(({ id }) => id)).toEqual(["x:default"]);
    expect(readdirSync(setup.folder).filter((name) => name.includes("damaged"))).toHaveLength(1);
  });

  it("of a newer version is left alone", async () => {
    const setup = new Setup();
    damage(setup, '{"version": 2, "profiles": {}}');
    await expect(setup.open().list()).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
    await expect(setup.open().add({ provider: "x", secret: { value: KEY } })).rejects.toMatchObject({
      code: "NOT_SUPPORTED",
    });
    expect(readFileSync(setup.file, "utf8")).toBe('{"version": 2, "profiles": {}}');
  });
});

describe("the file of profiles", () => {
  it("keeps the changes of all concurrent writers", async () => {
    const setup = new Setup();
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => setup.open().add({ provider: "x", name, secret: { value: KEY } })));
    await Promise.all(names.map((name) => setup.open().markFailed(`x:${name}`, "network")));
    const profiles = await setup.open().list();
    expect(
      profiles.filter(({ failureCount, problem }) => failureCount === 1 && problem === null),
    ).toHaveLength(12);
  });

  it("is unchanged when the disk is full, and no temporary file is left", async () => {
    const setup = new Setup();
    await setup.open().add({ provider: "x", secret: { value: KEY } });
    const before = readFileSync(setup.file, "utf8");
    const full: FileIo = {
      ...systemIo,
      write: (file, bytes) => systemIo.write(file, bytes.subarray(0, 5), 0),
    };
    const failed = setup.open({ io: full }).markUsed("x:default");
    await expect(failed).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(readFileSync(setup.file, "utf8")).toBe(before);
    expect(readdirSync(setup.folder).sort()).toEqual(["profiles.json", "profiles.lock"]);
  });

  it("becomes private again, with a notice", async () => {
    const setup = new Setup();
    await setup.open().add({ provider: "x", secret: { value: KEY } });
    chmodSync(setup.file, 0o644);
    chmodSync(setup.folder, 0o755);
    await setup.open().list();
    expect(statSync(setup.file).mode & 0o777).toBe(0o600);
    expect(statSync(setup.folder).mode & 0o777).toBe(0o700);
    expect(setup.notices).toHaveLength(2);
  });

  it("is not created by reading", async () => {
    const setup = new Setup();
    expect(await setup.open().list()).toEqual([]);
    expect(readdirSync(setup.state)).toEqual([]);
  });
});
