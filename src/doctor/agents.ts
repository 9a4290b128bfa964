/** The checks of each agent. Those without anything to check are skipped. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ownerOf } from "../agent/agents/agent-definition.ts";
import { findAdoptable } from "../state/adopt.ts";
import type { ConfigOptions } from "../state/config/config-build.ts";
import { stateLayout } from "../state/folder.ts";
import type { Store } from "../store/store.ts";
import type { CheckedConfig } from "./config.ts";
import type { CheckedCredentials } from "./credentials.ts";
import { checkCredentials } from "./credentials.ts";
import { attempt, type Checkup, type Fixing } from "./finding.ts";
import { checkModels } from "./models.ts";
import { readKeys } from "./secrets.ts";
import { checkIndex } from "./session-index.ts";

export interface AgentsToCheck {
  readonly options: ConfigOptions;
  readonly config: CheckedConfig;
  readonly store: Store | undefined;
  readonly fixing: Fixing;
}

export async function checkAgents(agents: AgentsToCheck): Promise<Checkup[]> {
  const { stateDir } = agents.options;
  const adoptFrom = adoptedFolder(agents.options);
  const own = agentsIn(stateLayout(stateDir).agents);
  const ids = adoptFrom === undefined || own.includes("main") ? own : ["main", ...own];
  // On a fresh machine none of this code is loaded.
  if (ids.length === 0) return [];
  return once([...(await indexes(agents, own)), ...(await credentials(agents, ids, adoptFrom))]);
}

/** A finding that several agents share, such as a doubt about the config, is reported once. */
function once(checkups: readonly Checkup[]): Checkup[] {
  const reported = new Set<string>();
  const isNew = (what: string): boolean => reported.size !== reported.add(what).size;
  return checkups.map(({ checked, findings }) => {
    return { checked, findings: findings.filter(({ what }) => isNew(what)) };
  });
}

function adoptedFolder({ adopt, home = "", env = process.env }: ConfigOptions): string | undefined {
  if (adopt === false) return undefined;
  const folder = findAdoptable(env, home)?.folder;
  return folder !== undefined && existsSync(join(folder, "agents")) ? folder : undefined;
}

const AGENT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

function agentsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && AGENT.test(entry.name)).map(({ name }) => name);
}

async function indexes(
  { options, config, store, fixing }: AgentsToCheck,
  ids: readonly string[],
): Promise<Checkup[]> {
  const layout = stateLayout(options.stateDir);
  const indexed = ids.filter((id) => existsSync(layout.agent(id).sessionIndex));
  const checkups: Checkup[] = [];
  for (const id of indexed) {
    const { root, sessionIndex } = layout.agent(id);
    const owns = (key: string): boolean => ownerOf(key, config.value ?? {}) === id;
    const index = { agentDir: root, store, config: config.value, owns, fixing };
    checkups.push(...(await attempt(`Session index ${sessionIndex}`, () => checkIndex(index))));
  }
  return checkups;
}

async function credentials(
  agents: AgentsToCheck,
  ids: readonly string[],
  adoptFrom: string | undefined,
): Promise<Checkup[]> {
  const { options, config } = agents;
  const { env } = config;
  const keys = readKeys(options.stateDir, env);
  const checkups = keys.keys === undefined || keys.keys.size > 0 ? [keys.checkup] : [];
  for (const agentId of ids) {
    const { stateDir } = options;
    const found = await checkCredentials({
      stateDir,
      agentId,
      env,
      adoptFrom,
      keys,
      now: Date.now(),
    });
    if (found.profiles > 0 || found.checkup.findings.length > 0) checkups.push(found.checkup);
    checkups.push(...(await modelsFile(agents, agentId, found)));
  }
  return checkups;
}

async function modelsFile(
  { options: { stateDir }, config, fixing }: AgentsToCheck,
  agentId: string,
  { providers, file }: CheckedCredentials,
): Promise<Checkup[]> {
  const { value, env, files } = config;
  // Without the config and the profiles its right content is unknown.
  if (value === undefined || providers === undefined) return [];
  const sources = [file, ...files];
  const models = { stateDir, agentId, providers, config: value, env, sources, fixing };
  const found = await attempt(`Models of agent ${agentId}`, () => checkModels(models));
  const there = existsSync(stateLayout(stateDir).agent(agentId).models);
  return found.filter(({ findings }) => there || findings.length > 0);
}
