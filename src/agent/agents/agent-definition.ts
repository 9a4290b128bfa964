/** The agents of a config, as plain values. */

import { ColloquyError, invalid } from "../../errors.ts";
import { checkObject } from "../../util/checked-arguments.ts";
import { defined, type Json, type JsonObject } from "../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, objectsIn } from "../../util/values.ts";
import { THINKING_LEVELS, type ThinkingLevel } from "../model/chat-model.ts";
import { limitsIn, type ToolLimits } from "../tools/approvals/approval.ts";

export interface SpawnLimits {
  /** How deep sub-agents nest: 0 means none. */
  readonly depthMax: number;
  /** How many one run can start. */
  readonly perRunMax: number;
  /** How many of these run at once. */
  readonly atOnceMax: number;
  readonly timeoutMs: number;
}

export const SPAWN_LIMITS: SpawnLimits = { depthMax: 2, perRunMax: 8, atOnceMax: 4, timeoutMs: 600_000 };

/** Who answers: what the config says of an agent, with the defaults of all agents. */
export interface AgentDefinition {
  readonly id: string;
  readonly name?: string;
  /** The folder with its files and skills. */
  readonly workspace?: string;
  /** As `provider/model`. */
  readonly model?: string;
  /** Models to try after it, in order. */
  readonly fallbacks: readonly string[];
  readonly thinking?: ThinkingLevel;
  /** Added to the system prompt. */
  readonly system?: string;
  readonly tools: ToolLimits;
  readonly spawn: SpawnLimits;
  /** Other agents that it can start. */
  readonly startable: readonly string[];
}

const MAIN_AGENT = "main";
const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The agent with this id. `NOT_FOUND` if the config has none; `main` always exists. */
export function agentById(id: string, config: JsonObject): AgentDefinition {
  checkObject(config, "config");
  const section = objectIn(config.agents) ?? {};
  const wanted = checkId(id);
  const entries = objectsIn(section.list).filter((entry) => checkId(entry.id) === wanted);
  if (entries.length > 1) {
    throw invalid(`agents.list has two agents with the id ${wanted}`, "agents.list", { id: wanted });
  }
  const [entry] = entries;
  if (entry === undefined && wanted !== MAIN_AGENT) {
    const message = `There is no agent ${wanted} in the config. Add it to agents.list`;
    throw new ColloquyError("NOT_FOUND", message, { details: { id: wanted } });
  }
  return definition(wanted, entry ?? {}, objectIn(section.defaults) ?? {}, config);
}

/** The agent that answers where no binding matches. */
export function defaultAgentId(config: JsonObject): string {
  checkObject(config, "config");
  const agents = objectsIn(objectIn(config.agents)?.list);
  const chosen = agents.find((agent) => agent.default === true);
  return chosen === undefined ? MAIN_AGENT : checkId(chosen.id);
}

/** Every agent of a config, the default one first. */
export function agentIds(config: JsonObject): string[] {
  const listed = objectsIn(objectIn(config.agents)?.list).map(({ id }) => checkId(id));
  return [...new Set([defaultAgentId(config), ...listed])];
}

const OF_AGENT = /^agent:([^:]+):/;

/** The agent that the conversation with a session key belongs to. */
export function ownerOf(key: string, config: JsonObject): string {
  const named = OF_AGENT.exec(key)?.[1];
  return named !== undefined && agentIds(config).includes(named) ? named : defaultAgentId(config);
}

/** Ids become parts of paths and keys, so nothing else is an id. */
function checkId(id: Json | undefined): string {
  const lower = typeof id === "string" ? id.toLowerCase() : "";
  if (ID.test(lower)) return lower;
  throw invalid("The id of an agent must be up to 64 letters, digits, - and _", "id");
}

function definition(id: string, own: JsonObject, defaults: JsonObject, config: JsonObject): AgentDefinition {
  const { primary, fallbacks } = modelIn(own.model ?? defaults.model);
  return {
    id,
    ...defined({
      name: filledIn(own.name),
      workspace: filledIn(own.workspace) ?? filledIn(defaults.workspace),
      model: primary ?? filledIn(objectIn(config.models)?.default),
      thinking: thinkingIn(own.thinking) ?? thinkingIn(defaults.thinking),
      system: filledIn(own.system) ?? filledIn(defaults.system),
    }),
    fallbacks,
    tools: limitsIn(own.tools ?? defaults.tools),
    spawn: spawnIn(objectIn(defaults.subagents) ?? {}),
    startable: filledOf(objectIn(own.subagents)?.allowAgents).map(checkId),
  };
}

function modelIn(model: Json | undefined): { primary: string | undefined; fallbacks: readonly string[] } {
  const { primary, fallbacks } = objectIn(model) ?? { primary: model };
  return { primary: filledIn(primary), fallbacks: filledOf(fallbacks) };
}

function filledOf(list: Json | undefined): string[] {
  return listIn(list)
    .filter((name) => typeof name === "string")
    .filter((name) => name !== "");
}

function thinkingIn(level: Json | undefined): ThinkingLevel | undefined {
  return THINKING_LEVELS.find((known) => known === level);
}

function spawnIn(limits: JsonObject): SpawnLimits {
  const seconds = numberIn(limits.runTimeoutSeconds);
  return {
    depthMax: numberIn(limits.maxSpawnDepth) ?? SPAWN_LIMITS.depthMax,
    perRunMax: numberIn(limits.maxChildrenPerAgent) ?? SPAWN_LIMITS.perRunMax,
    atOnceMax: numberIn(limits.maxConcurrent) ?? SPAWN_LIMITS.atOnceMax,
    timeoutMs: seconds === undefined ? SPAWN_LIMITS.timeoutMs : seconds * 1000,
  };
}
