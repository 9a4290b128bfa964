import { describe, expect, it } from "vitest";
import { CATALOGUE } from "./catalogue.ts";
import { composeModels } from "./compose.ts";

const ids = (input: Parameters<typeof composeModels>[0]): string[] =>
  Object.keys(composeModels(input).file.providers);

describe("the providers", () => {
  it.each([
    [{ ANTHROPIC_API_KEY: "x" }, ["anthropic"]],
    [{ OPENAI_API_KEY: "x" }, ["openai"]],
    [{ GEMINI_API_KEY: "x" }, ["google"]],
    [{ GOOGLE_API_KEY: "x" }, ["google"]],
    [{ OPENROUTER_API_KEY: "x" }, ["openrouter"]],
    [{ AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "y" }, ["amazon-bedrock"]],
    [{ AWS_ACCESS_KEY_ID: "x" }, []],
    [{ AWS_PROFILE: "work" }, ["amazon-bedrock"]],
    [{ OLLAMA_HOST: "127.0.0.1" }, ["ollama"]],
    [{ OPENAI_API_KEY: "" }, []],
    [{}, []],
  ])("are found in the environment: %j", (env, expected) => {
    expect(ids({ env })).toEqual(expected);
  });

  it("come from profiles and config too, in one order, under one name", () => {
    const input = {
      profiles: [{ provider: "openai" }, { provider: "gemini" }, { provider: "openai" }],
      config: {
        models: { providers: { zeta: { baseUrl: "https://z.example/v1/" }, bedrock: {}, anthropic: {} } },
      },
      env: { ANTHROPIC_API_KEY: "x" },
    };
    expect(ids(input)).toEqual(["anthropic", "openai", "google", "amazon-bedrock", "zeta"]);
    const { sources, file } = composeModels(input);
    expect(sources).toMatchObject({
      anthropic: ["config", "environment"],
      google: ["profile"],
      zeta: ["config"],
    });
    expect(file.providers.zeta).toEqual({
      baseUrl: "https://z.example/v1",
      api: "openai-completions",
      models: [],
    });
  });

  it("without an address are skipped, with a warning", () => {
    const { file, warnings } = composeModels({ profiles: [{ provider: "mystery" }] });
    expect(file.providers).toEqual({});
    expect(warnings).toEqual(["mystery is skipped: set its address in models.providers.mystery.baseUrl"]);
  });

  it("can be switched off by their owner", () => {
    const config = { models: { providers: { openai: { enabled: false } } } };
    expect(ids({ config, env: { OPENAI_API_KEY: "x" } })).toEqual([]);
  });

  it.each([
    ["127.0.0.1", "http://127.0.0.1:11434/v1"],
    ["0.0.0.0:1234", "http://127.0.0.1:1234/v1"],
    ["http://box:11434/", "http://box:11434/v1"],
    ["https://ollama.example", "https://ollama.example/v1"],
    ["http://user:canary@box:80/", "http://box/v1"],
  ])("of Ollama are called where OLLAMA_HOST says: %s", (host, url) => {
    expect(composeModels({ env: { OLLAMA_HOST: host } }).file.providers.ollama?.baseUrl).toBe(url);
  });

  it("of AWS are called in their region, whatever else the variable says", () => {
    const url = (AWS_REGION: string) =>
      composeModels({ env: { AWS_PROFILE: "x", AWS_REGION } }).file.providers["amazon-bedrock"]?.baseUrl;
    expect(url("eu-central-1")).toBe("https://bedrock-runtime.eu-central-1.amazonaws.com");
    expect(url("evil.example/x?")).toBe("https://bedrock-runtime.us-east-1.amazonaws.com");
  });
});

describe("the models", () => {
  it("of the catalogue are complete", () => {
    for (const [id, { models, baseUrl, api }] of CATALOGUE) {
      expect([id, URL.canParse(baseUrl), api]).toEqual([id, true, expect.any(String)]);
      expect(new Set(models.map((model) => model.id)).size).toBe(models.length);
      for (const { contextWindow = 0, maxTokens = 0, cost } of models) {
        expect(contextWindow).toBeGreaterThanOrEqual(maxTokens);
        expect(cost?.output).toBeGreaterThanOrEqual(cost?.input ?? Number.POSITIVE_INFINITY);
        expect(cost?.cacheRead).toBeLessThan(cost?.input ?? 0);
      }
    }
  });

  it("have the properties of the format, in its order", () => {
    const { file } = composeModels({ env: { ANTHROPIC_API_KEY: "x" } });
    expect(Object.keys(file)).toEqual(["prices", "providers"]);
    expect(file.prices.asOf).toMatch(/^2026-\d\d-\d\d$/);
    expect(Object.keys(file.providers.anthropic ?? {})).toEqual(["baseUrl", "api", "models"]);
    expect(Object.keys(file.providers.anthropic?.models[0] ?? {})).toEqual([
      "id",
      "name",
      "reasoning",
      "input",
      "cost",
      "contextWindow",
      "maxTokens",
    ]);
  });

  it("are changed and added to by config", () => {
    const models = [
      { maxTokens: 7, cost: { input: 99 }, id: "claude-opus-5-5", apiKey: "canary" },
      "claude-next",
      { id: "mine", name: "Mine", input: ["text"], reasoning: false, contextWindow: 10, cost: { output: 1 } },
    ];
    const config = { models: { providers: { anthropic: { models, baseUrl: "http://127.0.0.1:9/" } } } };
    const provider = composeModels({ config }).file.providers.anthropic;
    expect(provider?.baseUrl).toBe("http://127.0.0.1:9");
    expect(provider?.models[1]).toEqual({
      id: "claude-opus-5-5",
      name: "Claude Opus 5.5",
      reasoning: true,
      input: ["text", "image"],
      cost: { input: 99, output: 20, cacheRead: 0.2, cacheWrite: 5 },
      contextWindow: 1_000_000,
      maxTokens: 7,
    });
    expect(provider?.models.slice(-2)).toEqual([
      { id: "claude-next", name: "claude-next" },
      {
        id: "mine",
        name: "Mine",
        reasoning: false,
        input: ["text"],
        cost: { input: 0, output: 1, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 10,
      },
    ]);
    expect(CATALOGUE.get("anthropic")?.models[1]?.maxTokens).toBe(128_000);
  });

  it.each([
    [{ models: 1 }, "models"],
    [{ models: { default: 1 } }, "models.default"],
    [{ models: { providers: [] } }, "models.providers"],
    [{ models: { providers: { a: "sk-canary" } } }, "models.providers.a"],
    [{ models: { providers: { a: { baseUrl: "sk-canary" } } } }, "models.providers.a.baseUrl"],
    [{ models: { providers: { a: { baseUrl: "file:///etc" } } } }, "models.providers.a.baseUrl"],
    [{ models: { providers: { a: { api: 1 } } } }, "models.providers.a.api"],
    [{ models: { providers: { a: { models: {} } } } }, "models.providers.a.models"],
    [{ models: { providers: { a: { models: [{}] } } } }, "models.providers.a.models[0].id"],
    [
      { models: { providers: { a: { models: [{ id: "m", input: ["smell"] }] } } } },
      "models.providers.a.models[0].input[0]",
    ],
    [
      { models: { providers: { a: { models: [{ id: "m", contextWindow: 1.5 }] } } } },
      "models.providers.a.models[0].contextWindow",
    ],
    [
      { models: { providers: { a: { models: [{ id: "m", cost: { input: -1 } }] } } } },
      "models.providers.a.models[0].cost.input",
    ],
    [{ models: { providers: { constructor: {} } } }, "models.providers.constructor"],
    [JSON.parse('{"models":{"providers":{"__proto__":{}}}}'), "models.providers.__proto__"],
  ])("are refused with their path, and the value is not repeated: %j", (config, field) => {
    let caught: unknown;
    try {
      composeModels({ config });
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ code: "VALIDATION_ERROR", field });
    expect(String(caught)).not.toContain("canary");
  });

  it.each([
    ["anthropic/claude-opus-5-5", []],
    ["claude-opus-5-5", [expect.stringContaining("must be <provider>/<model>")]],
    ["openai/gpt-6.1-sol", [expect.stringContaining("a provider that is not set up")]],
    ["anthropic/claude-99", [expect.stringContaining("not in the list")]],
  ])("have a default: %s", (preset, warnings) => {
    const composed = composeModels({
      config: { models: { default: preset } },
      env: { ANTHROPIC_API_KEY: "x" },
    });
    expect(composed.file.default).toBe(preset);
    expect(composed.warnings).toEqual(warnings);
  });
});

describe("secrets", () => {
  it("of the config stay there", () => {
    const provider = {
      baseUrl: "https://user:canary-1@api.example/v1?key=canary-2#canary-3",
      apiKey: "canary-4",
      headers: { authorization: "Bearer canary-5" },
      models: [{ id: "m", name: "M", headers: { x: "canary-6" }, apiKey: "canary-7" }],
    };
    const composed = composeModels({ config: { models: { providers: { a: provider } } } });
    expect(JSON.stringify(composed)).not.toContain("canary");
    expect(composed.file.providers.a?.baseUrl).toBe("https://api.example/v1");
    expect(composed.warnings).toEqual([
      expect.stringContaining("models.providers.a.baseUrl contains more than an address"),
    ]);
  });

  it("of the environment are found where they do not belong", () => {
    const env = { MY_API_KEY: "canary-0123456789" };
    const config = { models: { providers: { a: { baseUrl: "https://api.example/canary-0123456789/v1" } } } };
    expect(() => composeModels({ config, env })).toThrow("models.providers.a in the config has a secret");
    expect(() => composeModels({ config, env })).not.toThrow("canary");
  });
});
