import { describe, expect, it } from "vitest";
import { fieldAt } from "../../state/config/schema/field-at.ts";
import type { JsonObject } from "../../util/json.ts";
import { THINKING_LEVELS } from "../model/chat-model.ts";
import { agentById, SPAWN_LIMITS } from "./agent-definition.ts";
import { agentFor, type MessagePlace } from "./agent-for.ts";

const config: JsonObject = {
  models: { default: "anthropic/claude-opus-4-6" },
  agents: {
    defaults: {
      workspace: "/work",
      thinking: "low",
      system: "Be brief.",
      tools: { deny: ["forget"] },
      subagents: { maxSpawnDepth: 1, runTimeoutSeconds: 5 },
    },
    list: [
      {
        id: "ops",
        name: "Ops",
        workspace: "/ops",
        model: { primary: "openai/x", fallbacks: ["openai/y"] },
        subagents: { allowAgents: ["Guest"] },
      },
      { id: "Guest", model: "ollama/small", tools: { allow: [] }, thinking: "off", system: "Be kind." },
      { id: "server" },
      { id: "dm" },
      { id: "room" },
    ],
  },
  bindings: [
    { agentId: "guest", match: { channel: "discord" } },
    { agentId: "ops", match: { channel: "discord", accountId: "work" } },
    { agentId: "server", match: { channel: "discord", guildId: "9" } },
    { agentId: "dm", match: { channel: "discord", peer: { kind: "direct", id: "42" } } },
    { agentId: "room", match: { channel: "discord", peer: { kind: "channel", id: "7" } } },
    { agentId: "ops", match: { channel: "discord", peer: "7" } },
    { agentId: "ghost", match: { channel: "telegram" } },
  ],
};

describe("agentFor", () => {
  it.each<readonly [MessagePlace, string]>([
    [{ channel: "cli", peer: "default" }, "main"],
    [{ channel: "discord", peer: "1" }, "guest"],
    [{ channel: "Discord", peer: "1" }, "guest"],
    [{ channel: "discord", accountId: "work", peer: "1" }, "ops"],
    [{ channel: "discord", accountId: "work", peer: "1", to: "8", groupId: "9" }, "server"],
    [{ channel: "discord", peer: "42" }, "dm"],
    [{ channel: "discord", peer: "42", to: "8", groupId: "9" }, "server"],
    [{ channel: "discord", peer: "42", to: "7", groupId: "9", accountId: "work" }, "room"],
    [{ channel: "discord", peer: "7" }, "ops"],
    [{ channel: "discord", peer: "x", to: "42" }, "guest"],
  ])("finds for %j: %s", (place, id) => {
    expect(agentFor(place, config).id).toBe(id);
  });

  it("refuses a binding to an agent that does not exist, instead of trusting another one", () => {
    expect(() => agentFor({ channel: "telegram", peer: "1" }, config)).toThrow(
      "bindings[6].agentId: There is no agent ghost in the config",
    );
  });

  it("uses the default agent where no binding matches", () => {
    const chosen = { agents: { list: [{ id: "a" }, { id: "b", default: true }] } };
    expect(agentFor({ channel: "cli" }, chosen).id).toBe("b");
    expect(agentFor({ channel: "cli" }, {})).toEqual({
      id: "main",
      fallbacks: [],
      tools: { allow: undefined, deny: [] },
      spawn: SPAWN_LIMITS,
      startable: [],
    });
  });
});

describe("agentById", () => {
  it("fills in the defaults of all agents", () => {
    expect(agentById("OPS", config)).toEqual({
      id: "ops",
      name: "Ops",
      workspace: "/ops",
      model: "openai/x",
      fallbacks: ["openai/y"],
      thinking: "low",
      system: "Be brief.",
      tools: { allow: undefined, deny: ["forget"] },
      spawn: { ...SPAWN_LIMITS, depthMax: 1, timeoutMs: 5000 },
      startable: ["guest"],
    });
    expect(agentById("guest", config)).toMatchObject({
      workspace: "/work",
      model: "ollama/small",
      thinking: "off",
      system: "Be kind.",
      tools: { allow: [], deny: [] },
    });
    expect(agentById("main", config).model).toBe("anthropic/claude-opus-4-6");
  });

  it.each(["../../etc", "", "a b", "agent:x", "x".repeat(65)])("refuses the id %j", (id) => {
    expect(() => agentById(id, config)).toThrow("The id of an agent must be");
  });

  it("refuses two agents with one id", () => {
    const twice = { agents: { list: [{ id: "a" }, { id: "A" }] } };
    expect(() => agentById("a", twice)).toThrow("two agents with the id a");
  });

  it("knows the thinking levels that the config accepts, and its defaults", () => {
    expect(fieldAt(["agents", "defaults", "thinking"])).toMatchObject({ enum: THINKING_LEVELS });
    const limit = (name: string): unknown => fieldAt(["agents", "defaults", "subagents", name])?.default;
    expect({
      depthMax: limit("maxSpawnDepth"),
      perRunMax: limit("maxChildrenPerAgent"),
      atOnceMax: limit("maxConcurrent"),
      timeoutMs: Number(limit("runTimeoutSeconds")) * 1000,
    }).toEqual(SPAWN_LIMITS);
  });
});
