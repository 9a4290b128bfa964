import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  embeddingServer,
  fakeVector,
  json,
  openAiAnswer,
} from "../../../test/support/servers/embedding-server.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { checking } from "./check-vectors.ts";
import type { EmbeddingProvider } from "./provider.ts";
import { sdkProvider } from "./sdk-provider.ts";
import type { EmbeddingSettings } from "./settings.ts";

const TOKEN = "sk-canary-0123456789abcdefghij";

function provider(settings: EmbeddingSettings): EmbeddingProvider {
  return checking(sdkProvider(settings));
}

function compatible(baseUrl: string, more: Partial<EmbeddingSettings> = {}): EmbeddingProvider {
  return provider({ provider: "openai-compatible", model: "tiny", dimensions: 8, baseUrl, ...more });
}

/** As our vectors are: of length 1, with 32-bit numbers. */
function unit(values: readonly number[]): number[] {
  const length = Math.hypot(...values);
  return [...Float32Array.from(values, (value) => value / length)];
}

describe("OpenAI", () => {
  it("embeds with text-embedding-3-small and a bearer token", async () => {
    const server = await embeddingServer(openAiAnswer(1536));
    const openai = provider({ provider: "openai", apiToken: async () => TOKEN, baseUrl: server.url });
    expect([openai.name, openai.model, openai.dimensions]).toEqual([
      "openai",
      "text-embedding-3-small",
      1536,
    ]);
    const vector = await openai.embed("What did we decide?");
    const expected = unit(fakeVector("What did we decide?", 1536));
    for (const [index, value] of vector.entries()) expect(value).toBeCloseTo(expected[index] as number, 5);
    const [request] = server.requests;
    expect(request?.path).toBe("/v1/embeddings");
    expect(request?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(request?.body).toEqual({
      model: "text-embedding-3-small",
      input: ["What did we decide?"],
      encoding_format: "float",
    });
  });

  it("asks for shorter vectors when told to", async () => {
    const server = await embeddingServer(openAiAnswer(256));
    const openai = provider({ provider: "openai", apiToken: TOKEN, baseUrl: server.url, dimensions: 256 });
    expect(await openai.embed("short")).toHaveLength(256);
    expect(server.requests[0]?.body.dimensions).toBe(256);
  });

  it("needs a token", async () => {
    const server = await embeddingServer();
    const openai = provider({ provider: "openai", baseUrl: server.url });
    await expect(openai.embed("x")).rejects.toMatchObject({ code: "UNAUTHORIZED", message: /API token/ });
    expect(server.requests).toHaveLength(0);
  });
});

describe("Gemini", () => {
  it.each([undefined, "embedding-001"])("embeds with gemini-embedding-001, also as %s", async (model) => {
    const server = await embeddingServer(({ texts, path }, response) => {
      const embeddings = texts.map((text) => ({ values: fakeVector(text, 1536) }));
      json(
        response,
        200,
        path.endsWith(":batchEmbedContents") ? { embeddings } : { embedding: embeddings[0] },
      );
    });
    const gemini = provider({ provider: "gemini", model, apiToken: TOKEN, baseUrl: server.url });
    expect(gemini.model).toBe("gemini-embedding-001");
    const [first] = await gemini.embedBatch(["one", "two"]);
    expect(await gemini.embed("one", { purpose: "query" })).toEqual(first);
    const [many, one] = server.requests;
    expect(many?.path).toBe("/v1/models/gemini-embedding-001:batchEmbedContents");
    expect(one?.path).toBe("/v1/models/gemini-embedding-001:embedContent");
    expect(one?.body).toMatchObject({ outputDimensionality: 1536, taskType: "RETRIEVAL_QUERY" });
    expect([many, one].map((request) => request?.headers["x-goog-api-key"])).toEqual([TOKEN, TOKEN]);
  });
});

describe("Ollama", () => {
  it("embeds with nomic-embed-text, which is told what the text is for", async () => {
    const server = await embeddingServer(openAiAnswer(768));
    const ollama = provider({ provider: "ollama", localPath: server.url });
    await ollama.embed("The harbour is closed");
    await ollama.embed("Is the harbour open?", { purpose: "query" });
    expect([ollama.model, ollama.dimensions]).toEqual(["nomic-embed-text", 768]);
    expect(server.requests.map(({ texts }) => texts[0])).toEqual([
      "search_document: The harbour is closed",
      "search_query: Is the harbour open?",
    ]);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it("is reached through a Unix socket", async () => {
    const socket = join(tempFolder(), "model.sock");
    const server = await embeddingServer(openAiAnswer(768), socket);
    const ollama = provider({ provider: "ollama", localPath: socket });
    expect(await ollama.embed("through a socket")).toHaveLength(768);
    expect(server.requests).toHaveLength(1);
  });
});

describe("an OpenAI-compatible server", () => {
  it("may answer in another order, with the place of each vector", async () => {
    const server = await embeddingServer(({ texts }, response) => {
      const data = texts.map((text, index) => ({ index, embedding: fakeVector(text, 8) }));
      json(response, 200, { data: data.reverse() });
    });
    const tiny = compatible(server.url);
    const [one, two] = await tiny.embedBatch(["one", "two"]);
    expect([one, two]).toEqual([await tiny.embed("one"), await tiny.embed("two")]);
  });

  it.each([
    [401, "UNAUTHORIZED", /status 401: wrong key.*Check the API token/],
    [403, "FORBIDDEN", /status 403/],
    [404, "NOT_FOUND", /Check the model and the base URL/],
    [429, "RATE_LIMITED", /status 429/],
    [400, "VALIDATION_ERROR", /status 400/],
    [500, "SERVICE_UNAVAILABLE", /status 500/],
    [503, "SERVICE_UNAVAILABLE", /status 503/],
  ])("answers %i: %s", async (status, code, message) => {
    const server = await embeddingServer((_, response) =>
      json(response, status, { error: { message: "wrong key" } }),
    );
    await expect(compatible(server.url).embed("x")).rejects.toMatchObject({ code, message });
  });

  it("cannot make an error repeat the token or the text", async () => {
    const server = await embeddingServer(({ headers, texts }, response) =>
      json(response, 401, { error: { message: `No: ${headers.authorization} for ${texts[0]}` } }),
    );
    const secret = "plain-canary-value-0815";
    const error: Error = await compatible(server.url, { apiToken: secret })
      .embed("hello")
      .then(() => new Error("answered"))
      .catch((thrown) => thrown);
    expect(error.message).toContain("No: Bearer …0815");
    const { inspect } = await import("node:util");
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(secret);
    expect(error.cause).toBeUndefined();
  });

  it.each([
    ["text", "<html>It works!</html>"],
    ["NaN", '{"data":[{"embedding":[NaN,1,2,3,4,5,6,7]}]}'],
    ["null instead of a number", '{"data":[{"embedding":[null,1,2,3,4,5,6,7]}]}'],
    ["an infinite number", '{"data":[{"embedding":[1e999,1,2,3,4,5,6,7]}]}'],
    ["something else", '{"data":"none"}'],
    ["only zeros", '{"data":[{"embedding":[0,0,0,0,0,0,0,0]}]}'],
    ["too few vectors", '{"data":[]}'],
    ["too many vectors", '{"data":[{"embedding":[1,0,0,0,0,0,0,0]},{"embedding":[1,0,0,0,0,0,0,0]}]}'],
  ])("that answers with %s is reported", async (_, body) => {
    const server = await embeddingServer((__, response) => json(response, 200, body));
    const failing = compatible(server.url).embed("x");
    await expect(failing).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE", message: /tiny/ });
  });

  it("that answers with a wrong dimension is reported with the right one", async () => {
    const server = await embeddingServer(openAiAnswer(5));
    await expect(compatible(server.url).embed("x")).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      field: "dimensions",
      message: /5 dimensions instead of 8: set dimensions to 5/,
    });
  });

  it("that never answers, or never ends, is left after the time limit", async () => {
    const silent = await embeddingServer(() => {});
    const drip = await embeddingServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), 10);
      response.once("close", () => clearInterval(timer));
    });
    for (const { url } of [silent, drip]) {
      await expect(compatible(url, { timeoutMs: 60 }).embed("x")).rejects.toMatchObject({
        code: "NETWORK_ERROR",
        message: /did not answer within 0.06 s/,
      });
    }
  });

  it("can be left alone by its caller", async () => {
    const stop = new AbortController();
    const server = await embeddingServer(() => stop.abort(new Error("no longer needed")));
    await expect(compatible(server.url).embed("x", { signal: stop.signal })).rejects.toThrow(
      "no longer needed",
    );
  });

  it("refuses an empty text before anything is sent", async () => {
    const server = await embeddingServer();
    await expect(compatible(server.url).embed(" ")).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    expect(await compatible(server.url).embedBatch([])).toEqual([]);
    expect(server.requests).toHaveLength(0);
  });
});

describe("settings", () => {
  it.each<[string, Partial<EmbeddingSettings>, RegExp]>([
    ["provider", { provider: "opnai" as "openai" }, /did you mean "openai"/],
    ["baseUrl", { provider: "openai-compatible", model: "m", dimensions: 1 }, /needs a base URL/],
    ["model", { provider: "openai-compatible", baseUrl: "https://e.example" }, /name of a model/],
    ["dimensions", { provider: "ollama", model: "unknown-model" }, /Set dimensions/],
    ["dimensions", { provider: "ollama", dimensions: 0 }, /from 1 to/],
    ["baseUrl", { provider: "openai", baseUrl: "http://api.openai.com/v1" }, /must be https/],
    ["baseUrl", { provider: "openai", baseUrl: "https://me:pw@api.openai.com/v1" }, /password/],
    ["baseUrl", { provider: "openai", baseUrl: "https://169.254.169.254/v1" }, /not the address of a server/],
    ["baseUrl", { provider: "openai", baseUrl: "file:///etc/passwd" }, /https:/],
  ])("with a wrong %s are refused: %j", (field, settings, message) => {
    expect(() => sdkProvider(settings as EmbeddingSettings)).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", field, message: expect.stringMatching(message) }),
    );
  });
});
