import { writeFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { Place } from "../cli/run-command.ts";
import { embeddingServer, openAiAnswer } from "../support/servers/embedding-server.ts";

it("searches by meaning with the provider of the config, once it is allowed", async () => {
  const place = new Place();
  onTestFinished(() => place[Symbol.dispose]());
  {
    await using store = await openStore(`sqlite:${place.state}/conversations.db`);
    await (await store.open("cli:one")).append([
      { role: "user", content: "The oven is hot" },
      { role: "assistant", content: "Be careful" },
    ]);
  }
  const server = await embeddingServer(openAiAnswer(8));
  const embedding = { provider: "openai-compatible", model: "tiny", dimensions: 8, baseUrl: server.url };
  const config = (search: object): void =>
    writeFileSync(place.path("state", "colloquy.json"), JSON.stringify({ memory: { embedding }, search }));
  config({});
  const refused = await place.failure(["search", "oven", "--mode", "hybrid"]);
  expect(refused).toMatchObject({ error: { code: "VALIDATION_ERROR", field: "mode" } });
  expect(refused.error.message).toContain("config set search.semantic true");
  await place.json(["search", "oven"]);
  expect(server.requests).toEqual([]);
  config({ semantic: true });
  // Equal texts have equal vectors.
  const found = await place.json(["search", "Be careful", "--mode", "semantic"]);
  expect(found.hits[0]).toMatchObject({ snippet: "Be careful", score: expect.closeTo(1.2, 1) });
  expect(server.requests.flatMap(({ texts }) => texts)).toEqual([
    "The oven is hot",
    "Be careful",
    "Be careful",
  ]);
  const both = await place.json(["search", "hot oven"]);
  expect(both.hits[0]?.snippet).toBe("The oven is hot");
  expect(server.requests).toHaveLength(3);
});
