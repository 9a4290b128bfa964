import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { type Credentials, openCredentials } from "../credentials.ts";

const NOW = 1_800_000_000_000;
const PROFILES = {
  "anthropic:default": { type: "api_key", provider: "anthropic", key: "sk-ant-adopted-1111" },
  "anthropic:me@example.org": {
    type: "oauth",
    provider: "anthropic",
    access: "adopted-access-2222",
    refresh: "adopted-refresh-3333",
    expires: NOW + 3_600_000,
    email: "me@example.org",
  },
  "github-copilot:github": { type: "token", provider: "github-copilot", token: "adopted-token-4444" },
  "openai:ref": {
    type: "api_key",
    provider: "openai",
    keyRef: { source: "env", provider: "default", id: "REF_KEY" },
  },
  "openai:var": { type: "api_key", provider: "openai", key: "$" + "{VAR_KEY}" },
  "odd:one": { type: "carrier-pigeon", provider: "odd" },
  broken: 7,
};
const STORE = {
  version: 1,
  profiles: PROFILES,
  order: { anthropic: ["anthropic:me@example.org"], odd: "x" },
  lastGood: { anthropic: "anthropic:default" },
  usageStats: {
    "anthropic:default": { lastUsed: NOW - 1000, errorCount: 2, cooldownUntil: NOW + 60_000 },
    "github-copilot:github": "none",
  },
};

function adopt(content: string, place = "agents/main/agent") {
  const folder = tempFolder();
  const file = join(folder, place, "auth-profiles.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  const state = tempFolder();
  const env = { REF_KEY: "from-the-reference", VAR_KEY: "from-the-variable" };
  const open = (): Credentials =>
    openCredentials({ stateDir: state, adoptFrom: folder, env, clock: () => NOW, platform: "none" });
  return { file, state, open };
}

describe("profiles of OpenClaw", () => {
  it.each(["agents/main/agent", "agents/main/auth", "agents/main"])("are read from %s", async (place) => {
    const { open } = adopt(JSON.stringify(STORE), place);
    const { profiles, problems } = await open().report();
    expect(profiles.map(({ id, kind, origin, masked }) => [id, kind, origin, masked])).toEqual([
      ["anthropic:default", "api-key", "openclaw", "…1111"],
      ["anthropic:me@example.org", "oauth", "openclaw", "…2222"],
      ["github-copilot:github", "token", "openclaw", "…4444"],
      ["openai:ref", "api-key", "openclaw", "…ence"],
      ["openai:var", "api-key", "openclaw", "…able"],
    ]);
    expect(problems).toEqual([expect.stringContaining("2 of its profiles are of an unknown kind")]);
  });

  it("are used in their order and with their usage data", async () => {
    const { open } = adopt(JSON.stringify(STORE));
    expect((await open().resolve("anthropic")).value).toBe("adopted-access-2222");
    expect(await open().order("anthropic")).toEqual(["anthropic:me@example.org", "anthropic:default"]);
    expect((await open().list())[0]).toMatchObject({ failureCount: 2, cooldownUntil: NOW + 60_000 });
  });

  it("are never written; their usage is recorded in our file", async () => {
    const { file, state, open } = adopt(JSON.stringify(STORE));
    chmodSync(file, 0o644);
    const { mtimeNs } = statSync(file, { bigint: true });
    await open().markUsed("anthropic:default");
    await open().markFailed("github-copilot:github", "auth");
    expect(readFileSync(file, "utf8")).toBe(JSON.stringify(STORE));
    expect(statSync(file, { bigint: true }).mtimeNs).toBe(mtimeNs);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    const own = readFileSync(join(state, "agents/main/auth/profiles.json"), "utf8");
    expect(own).not.toContain("adopted-");
    expect(await open().list()).toMatchObject([{ lastUsed: NOW }, {}, { failureCount: 1 }, {}, {}]);
  });

  it("cannot be removed or refreshed here", async () => {
    const { open } = adopt(JSON.stringify(STORE));
    const never = () => Promise.reject(new Error("must not be called"));
    await expect(open().remove("anthropic:default")).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(open().refresh("anthropic:me@example.org", never)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });

  it("are overridden by our profiles with the same id", async () => {
    const { open } = adopt(JSON.stringify(STORE));
    await open().add({ provider: "anthropic", secret: { value: "sk-ant-our-own-5555" } });
    expect((await open().resolve("anthropic:default")).value).toBe("sk-ant-our-own-5555");
    await open().remove("anthropic:default");
    expect((await open().resolve("anthropic:default")).value).toBe("sk-ant-adopted-1111");
  });

  it.each(['{"profiles": {"a:b": "sk-canary', "[]", "null"])(
    "that are damaged do not affect our own (%j)",
    async (content) => {
      const { open } = adopt(content);
      await open().add({ provider: "x", secret: { value: "our-own-secret-6666" } });
      const report = await open().report();
      expect(report.profiles).toHaveLength(1);
      expect(report.problems).toHaveLength(1);
      expect(JSON.stringify(report)).not.toContain("canary");
    },
  );
});
