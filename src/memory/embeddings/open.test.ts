import { describe, expect, it } from "vitest";
import { ManualTiming } from "../../../test/support/manual-timing.ts";
import {
  type Answer,
  embeddingServer,
  fakeVector,
  json,
  openAiAnswer,
} from "../../../test/support/servers/embedding-server.ts";
import type { EmbeddingChain } from "./chain.ts";
import { type EmbeddingsOptions, openEmbeddings } from "./open.ts";
import type { EmbeddingSettings } from "./settings.ts";

const answer = openAiAnswer();

function settings(baseUrl: string): EmbeddingSettings {
  return { provider: "openai-compatible", model: "tiny", dimensions: 8, baseUrl };
}

async function opened(
  answers: Answer,
  more: Partial<EmbeddingsOptions> = {},
): Promise<{ chain: EmbeddingChain; count: () => number; timing: ManualTiming; batches: () => number[] }> {
  const timing = new ManualTiming();
  const { url, requests } = await embeddingServer(answers);
  return {
    chain: openEmbeddings({ primary: settings(url), timing, ...more }),
    count: () => requests.length,
    batches: () => requests.map(({ texts }) => texts.length),
    timing,
  };
}

/** `status` for the first requests, then vectors. */
function failing(times: number, status: number, headers: Record<string, string> = {}): Answer {
  return (request, response, count) =>
    count <= times ? json(response, status, {}, headers) : answer(request, response, count);
}

describe("a server that fails for a moment", () => {
  it("is asked again after pauses that double, half of them random", async () => {
    const { chain, count, timing } = await opened(failing(3, 500));
    await chain.embedBatch(["x"]);
    expect(count()).toBe(4);
    expect(timing.slept).toEqual([187.5, 375, 750]);
  });

  it("is asked four times at most", async () => {
    const { chain, count } = await opened(failing(9, 502));
    await expect(chain.embedBatch(["x"])).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(count()).toBe(4);
  });

  it("is asked again after a broken connection", async () => {
    const { chain, count } = await opened((request, response, times) =>
      times === 1 ? void response.destroy() : answer(request, response, times),
    );
    await chain.embedBatch(["x"]);
    expect(count()).toBe(2);
  });

  it("is not asked again when it refuses the token", async () => {
    const { chain, count } = await opened(failing(1, 401));
    await expect(chain.embedBatch(["x"])).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(count()).toBe(1);
  });

  it("waits as long as the server says after 503", async () => {
    const { chain, timing } = await opened(failing(1, 503, { "retry-after": "5" }));
    await chain.embedBatch(["x"]);
    expect(timing.slept).toEqual([5000]);
  });
});

describe("a server that allows no more requests", () => {
  const date = new Date(Date.UTC(2026, 0, 1) + 90_000).toUTCString();

  it.each([
    ["seconds", { "retry-after": "90" }, 90_000],
    ["a date", { "retry-after": date }, 90_000],
    ["nothing", {} as Record<string, string>, 60_000],
    ["nonsense", { "retry-after": "soon" }, 60_000],
    ["a year", { "retry-after": "31536000" }, 86_400_000],
  ])("and names %s is left alone for that long", async (_, headers, restMs) => {
    const { chain, count, timing } = await opened(failing(1, 429, headers));
    const limited = { code: "RATE_LIMITED", details: { retryAfterMs: restMs } };
    await expect(chain.embedBatch(["x"])).rejects.toMatchObject(limited);
    timing.advance(restMs - 1);
    await expect(chain.embedBatch(["x"])).rejects.toMatchObject({ details: { retryAfterMs: 1 } });
    expect(count()).toBe(1);
    timing.advance(1);
    await chain.embedBatch(["x"]);
    expect(count()).toBe(2);
  });
});

describe("a server that fails again and again", () => {
  it("is left alone, then tried once, then trusted again", async () => {
    let isBroken = true;
    const { chain, count, timing } = await opened((request, response, times) =>
      isBroken ? json(response, 401, {}) : answer(request, response, times),
    );
    const failed = (): Promise<unknown> => chain.embedBatch(["x"]).catch((error) => error.code);
    for (let call = 0; call < 5; call++) expect(await failed()).toBe("UNAUTHORIZED");
    await expect(chain.embedBatch(["x"])).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: /failed repeatedly; it is asked again in 30 s/,
    });
    expect(count()).toBe(5);
    timing.advance(30_000);
    // Half open: of three calls at once, one is the trial.
    expect((await Promise.all([failed(), failed(), failed()])).toSorted()).toEqual([
      "SERVICE_UNAVAILABLE",
      "SERVICE_UNAVAILABLE",
      "UNAUTHORIZED",
    ]);
    expect(count()).toBe(6);
    timing.advance(59_999);
    expect(await failed()).toBe("SERVICE_UNAVAILABLE");
    timing.advance(1);
    isBroken = false;
    await chain.embedBatch(["x"]);
    await Promise.all([chain.embedBatch(["x"]), chain.embedBatch(["y"])]);
    expect(count()).toBe(9);
  });
});

describe("many texts", () => {
  const texts = Array.from({ length: 25 }, (_, index) => `text ${index}`);
  const limits = { texts: 10, chars: 1000, requests: 2 };

  it("are sent in batches, of which few run at once, and come back in order", async () => {
    let running = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const { chain, batches } = await opened(
      async (request, response, count) => {
        most = Math.max(most, ++running);
        // The first request is answered last.
        if (count === 1) await new Promise<void>((resolve) => waiting.push(resolve));
        running--;
        answer(request, response, count);
        if (count === 3) waiting[0]?.();
      },
      { limits },
    );
    const { vectors } = await chain.embedBatch(texts);
    expect(batches()).toEqual([10, 10, 5]);
    expect(most).toBe(2);
    for (const [index, text] of texts.entries()) {
      const raw = fakeVector(text, 8);
      expect(vectors[index]?.[0]).toBeCloseTo((raw[0] as number) / Math.hypot(...raw), 5);
    }
  });

  it("are split by their length too", async () => {
    const { chain, batches } = await opened(answer, { limits });
    await chain.embedBatch(["a".repeat(600), "b".repeat(600), "c", "d".repeat(2000), "e"]);
    expect(batches().toSorted()).toEqual([1, 1, 1, 2]);
  });

  it("fail together, and the batches that wait are not sent", async () => {
    const { chain, count } = await opened((_, response) => json(response, 401, {}), {
      limits: { ...limits, requests: 1 },
    });
    await expect(chain.embedBatch(texts)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(count()).toBe(1);
  });
});

describe("a fallback", () => {
  it("answers when the primary fails, and says that it did", async () => {
    const fallback = await embeddingServer(openAiAnswer(3));
    const { chain } = await opened(failing(9, 401), {
      fallback: { ...settings(fallback.url), model: "local", dimensions: 3 },
    });
    const { provider, vectors } = await chain.embedBatch(["x"]);
    expect([provider.model, vectors[0]?.length]).toEqual(["local", 3]);
    expect(chain.primary.model).toBe("tiny");
  });

  it("answers at once while the primary rests", async () => {
    const fallback = await embeddingServer();
    const { chain, count } = await opened(failing(9, 429), { fallback: settings(fallback.url) });
    await chain.embedBatch(["x"]);
    await chain.embedBatch(["y"]);
    expect([count(), fallback.requests.length]).toEqual([1, 2]);
  });

  it("that fails too is named with the error of the primary", async () => {
    const fallback = await embeddingServer((_, response) => json(response, 403, {}));
    const { chain } = await opened(failing(9, 401), { fallback: settings(fallback.url) });
    await expect(chain.embedBatch(["x"])).rejects.toMatchObject({
      code: "UNAUTHORIZED",
      message: /status 401.*The fallback failed too: .*status 403/,
    });
  });
});

describe("a provider of your own", () => {
  it("is not asked for the rest after a failure, even if it ignores the signal", async () => {
    let calls = 0;
    const embedBatch = async (): Promise<never> => {
      calls++;
      throw new Error("broken");
    };
    const own = { name: "own", model: "m", dimensions: 1, embedBatch, embed: embedBatch };
    const chain = openEmbeddings({ primary: own, limits: { texts: 1, chars: 10, requests: 1 } });
    await expect(chain.embedBatch(["x", "y", "z"])).rejects.toThrow("broken");
    expect(calls).toBe(1);
  });

  it("is checked like any other", async () => {
    const own = {
      name: "own",
      model: "letters",
      dimensions: 2,
      embed: async () => Float32Array.of(3, 4),
      embedBatch: async () => [Float32Array.of(3, 4)],
    };
    const chain = openEmbeddings({ primary: own });
    expect((await chain.embedBatch(["x"])).vectors).toEqual([Float32Array.of(0.6, 0.8)]);
    await expect(chain.embedBatch(["x", "y"])).rejects.toMatchObject({
      message: /2 texts were sent and 1 vectors came back/,
    });
  });
});
