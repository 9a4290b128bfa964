import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Place } from "./run-command.ts";

/** The machine that runs the tests may have keys. */
const CLEAN = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => /^(AWS_|OLLAMA_)|_(KEY|TOKEN)$/.test(name))
    .map((name) => [name, ""]),
);
const ENV = { ...CLEAN, OPENAI_API_KEY: "sk-0123456789" };

describe("models list", () => {
  it("lists the available models with window, limits and prices", async () => {
    using place = new Place();
    const { default: preset, pricesAsOf, models } = await place.json(["models", "list"], { env: ENV });
    expect({ preset, pricesAsOf }).toEqual({
      preset: null,
      pricesAsOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    expect(new Set(models.map(({ provider }: { provider: string }) => provider))).toEqual(
      new Set(["openai"]),
    );
    expect(models[0]).toEqual({
      provider: "openai",
      id: expect.any(String),
      name: expect.any(String),
      reasoning: true,
      input: ["text", "image"],
      cost: {
        input: expect.any(Number),
        output: expect.any(Number),
        cacheRead: expect.any(Number),
        cacheWrite: expect.any(Number),
      },
      contextWindow: expect.any(Number),
      maxTokens: expect.any(Number),
    });
    const { stdout } = await place.run(["models", "list"], { env: ENV });
    expect(stdout).toMatch(/^MODEL +NAME +WINDOW +OUTPUT +\$ IN +\$ OUT +\$ CACHED\nopenai\//);
    expect(stdout).toContain(`as of ${pricesAsOf}.`);
    expect(existsSync(place.path("state", "agents"))).toBe(false);
  });

  it("follows profiles and config", async () => {
    using place = new Place();
    await place.json(["auth", "add", "anthropic", "--from-env", "X"], { env: CLEAN });
    const models = [{ id: "small", contextWindow: 8192 }];
    const config = {
      models: { default: "mine/small", providers: { mine: { baseUrl: "http://127.0.0.1:9/v1", models } } },
    };
    writeFileSync(place.path("state", "colloquy.json"), JSON.stringify(config), { mode: 0o600 });
    const listed = await place.json(["models", "list", "--provider", "mine"], { env: CLEAN });
    expect(listed.default).toBe("mine/small");
    expect(listed.models).toMatchObject([{ provider: "mine", id: "small", cost: null, contextWindow: 8192 }]);
    const claude = await place.json(["models", "list", "--provider", "claude"], { env: CLEAN });
    expect(claude.models.length).toBeGreaterThan(3);
    const missing = await place.failure(["models", "list", "--provider", "xai"], { env: CLEAN });
    expect(missing).toMatchObject({ code: 1, error: { code: "NOT_FOUND", field: "provider" } });
  });

  it("shows a new user what to do, and shows everything with --all", async () => {
    using place = new Place();
    const { stdout, stderr } = await place.run(["models", "list"], { env: CLEAN });
    expect(stdout).toBe("No models: no provider is set up.\n");
    expect(stderr).toContain("auth add anthropic");
    const { models } = await place.json(["models", "list", "--all"], { env: CLEAN });
    expect(models.length).toBeGreaterThan(30);
  });

  it("fails with the error of an invalid config", async () => {
    using place = new Place();
    mkdirSync(place.state, { mode: 0o700 });
    writeFileSync(place.path("state", "colloquy.json"), "{ models: { providers: { a: { baseUrl: 7 } } } }", {
      mode: 0o600,
    });
    const { code, error } = await place.failure(["models", "list"], { env: CLEAN });
    expect({ code, error: error.code }).toEqual({ code: 1, error: "VALIDATION_ERROR" });
  });
});

describe("models write", () => {
  it("writes once, and again only if something changed", async () => {
    using place = new Place();
    const path = place.path("state", "agents", "main", "models.json");
    expect(await place.json(["models", "write"], { env: ENV })).toEqual({
      path,
      changed: true,
      providers: ["openai"],
    });
    const { mtimeMs } = statSync(path);
    expect((await place.json(["models", "write"], { env: ENV })).changed).toBe(false);
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
    expect(readFileSync(path, "utf8")).not.toContain("0123456789");
    expect((await place.json(["models", "write"], { env: CLEAN })).providers).toEqual([]);
  });
});
