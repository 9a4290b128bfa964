import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Tool } from "../../src/agent/index.ts";
import { Agents } from "../../src/channel/setup/agents.ts";
import { openStore } from "../../src/index.ts";
import { openCredentials } from "../../src/state/credentials/index.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { modelServer, type Script } from "../support/models/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

async function scene(script: Script, config: JsonObject = {}) {
  const server = await modelServer(script);
  const stateDir = tempFolder();
  const store = await openStore("ephemeral:");
  const models = [{ id: "small" }, { id: "large" }];
  const local = { baseUrl: server.baseUrls.openai, api: "openai-completions", models };
  const agents = new Agents({
    ...{ store, stateDir, env: {}, credentials: openCredentials({ stateDir, env: {} }) },
    config: { models: { default: "local/small", providers: { local } }, ...config },
    onNotice: () => {},
  });
  onTestFinished(async () => {
    await agents.close();
    await store.close();
    await server.close();
  });
  return { server, stateDir, store, agents };
}

it("asks for the sub-agents of each session the model of that session", async () => {
  const { server, agents } = await scene(({ body }) => [{ text: `I am ${body.model}` }]);
  const setup = await agents.at({ channel: "cli" });
  const starters = [];
  for (const name of ["local/small", "local/large"]) {
    const tools = await setup.tools(await setup.model(name, ""), undefined);
    starters.push(tools.find((tool) => tool.name === "start_agent") as Tool);
  }
  const call = { id: "c1", key: "cli:a", depth: 0, signal: new AbortController().signal };
  const answers = starters.map((tool, at) => tool.run({ task: `Task ${at}` }, call));
  expect(await Promise.all(answers)).toEqual(["I am small", "I am large"]);
  expect(server.requests).toHaveLength(2);
});

it("refuses a model without a key, and goes back to the default", async () => {
  const { agents } = await scene([]);
  const setup = await agents.at({ channel: "cli" });
  await setup.chooseModel("local/large", "cli:a");
  expect(setup.modelName("cli:a")).toBe("local/large");
  const refused = setup.chooseModel("anthropic/claude-opus-5-5", "cli:a");
  await expect(refused).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  expect(setup.modelName("cli:a")).toBe("local/large");
  await setup.chooseModel(undefined, "cli:a");
  expect([setup.modelName("cli:a"), setup.modelName("cli:b")]).toEqual(["local/small", "local/small"]);
});

it("loads an extension once for all agents of a process", async () => {
  const plugins = { entries: { count: { enabled: true } } };
  const list = [{ id: "main" }, { id: "ops" }];
  const { stateDir, agents } = await scene([[{ text: "1" }], [{ text: "2" }]], { plugins, agents: { list } });
  mkdirSync(join(stateDir, "extensions"), { mode: 0o700 });
  const counter = join(stateDir, "loaded");
  writeFileSync(
    join(stateDir, "extensions", "count.mjs"),
    `import { appendFileSync } from "node:fs";
    export default () => (appendFileSync(${JSON.stringify(counter)}, "."), { tools: [] });`,
  );
  for (const agentId of ["main", "ops"]) {
    const setup = await agents.at({ channel: "cli", agentId });
    await (await setup.loop({ key: `agent:${agentId}:cli:a` })).run("Hello");
  }
  expect(readFileSync(counter, "utf8")).toBe(".");
});

it("uses other settings from the next run on, and keeps what a run began with open until its end", async () => {
  const { agents, server, store, stateDir } = await scene(({ body }) => [{ text: String(body.model) }]);
  const { config, env, credentials } = agents.installation;
  const setup = await agents.at({ channel: "cli" });
  const loop = await setup.loop({ key: "cli:a" });
  const memory = await agents.memory();
  const next = { ...config, models: { ...(config.models as JsonObject), default: "local/large" } };
  await agents.use({ env, credentials, config: { ...next, memory: { path: join(stateDir, "other.db") } } });
  expect((await loop.run("Who answers?")).reply).toBe("small");
  expect(memory.sources()).toEqual([]);
  await loop.close();
  expect(() => memory.sources()).toThrow();
  await using later = await (await agents.at({ channel: "cli" })).loop({ key: "cli:a" });
  expect((await later.run("And now?")).reply).toBe("large");
  expect((await agents.memory()).sources()).toEqual([]);
  const wrong = { ...next, models: { providers: { local: { baseUrl: "file:///etc" } } } };
  await expect(agents.use({ env, credentials, config: wrong })).rejects.toThrow("baseUrl");
  expect((await agents.at({ channel: "cli" })).modelName("cli:a")).toBe("local/large");
  expect([server.requests.length, (await store.list()).items.length]).toEqual([2, 1]);
});
