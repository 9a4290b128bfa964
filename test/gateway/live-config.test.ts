import { expect, it, vi } from "vitest";
import { unavailable } from "../../src/errors.ts";
import type { StatusView } from "../../src/gateway/wire/rest.ts";
import { openCredentials } from "../../src/state/credentials/index.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { openPlace, type Place } from "./place.ts";

/** What the gateway says about a changed config, and what it uses then. */
async function used({ gateway, stateDir, store, agents, call }: Place, config: JsonObject) {
  const credentials = openCredentials({ stateDir, env: {} });
  await gateway.use({ config, env: {}, credentials });
  const { problem } = (await call("GET /api/v1/status")).json<StatusView>().config;
  const isUsed = agents.installation.config === config;
  return { problem, isUsed, maxDepth: store.depthLimits.maxDepth };
}

it("changes nothing with a config that the disk refuses", async () => {
  await using place = await openPlace();
  const config = { sessions: { tree: { max_depth: 3 } } };
  vi.spyOn(place.auth, "configure").mockRejectedValueOnce(unavailable("The disk is full"));
  const refused = { problem: "The disk is full", isUsed: false, maxDepth: 10 };
  expect(await used(place, config)).toEqual(refused);
  expect(await used(place, config)).toEqual({ problem: null, isUsed: true, maxDepth: 3 });
});

it("changes nothing with limits that are none", async () => {
  await using place = await openPlace();
  const config = { sessions: { tree: { max_depth: 0 } } };
  const problem = expect.stringContaining("maxDepth");
  expect(await used(place, config)).toEqual({ problem, isUsed: false, maxDepth: 10 });
});
