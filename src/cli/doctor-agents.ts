/** What is checked for each agent, and what of it can be left out. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findAdoptable } from "../state/adopt.ts";
import type { ConfigOptions } from "../state/config/config-build.ts";
import { stateLayout } from "../state/folder.ts";
import type { Store } from "../store/store.ts";
import { attempt, type Checkup, type Fixing } from "./doctor-checks.ts";
import type { CheckedConfig } from "./doctor-config.ts";
import type { CheckedCredentials } from "./doctor-credentials.ts";

export interface AgentsVisit {
  readonly options: ConfigOptions;
  readonly config: CheckedConfig;
  readonly store: Store | undefined;
  readonly values: ReadonlyMap<string, string>;
  readonly fixing: Fixing;
}

export async function checkAgents(visit: AgentsVisit): Promise<Checkup[]> {
  const { stateDir } = visit.options;
  const adoptFrom = adoptedFolder(visit.options);
  const agents = agentsIn(stateLayout(stateDir).agents);
  const ids = adoptFrom === undefined || agents.includes("main") ? agents : ["main", ...agents];
  // On a fresh machine nothing of this is loaded.
  if (ids.length === 0) return [];
  return once([...(await indexes(visit, agents)), ...(await credentials(visit, ids, adoptFrom))]);
}

/** What is true of several agents, such as a doubt about the config, is told once. */
function once(checkups: readonly Checkup[]): Checkup[] {
  const told = new Set<string>();
  const isNew = (what: string): boolean => told.size !== told.add(what).size;
  return checkups.map(({ checked, findings }) => {
    return { checked, findings: findings.filter(({ what }) => isNew(what)) };
  });
}

/** A profile of the command is a place of its own, and takes nothing from elsewhere. */
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
  { options, config, store, values, fixing }: AgentsVisit,
  ids: readonly string[],
): Promise<Checkup[]> {
  const layout = stateLayout(options.stateDir);
  const agents = ids.map((id) => layout.agent(id)).filter(({ sessionIndex }) => existsSync(sessionIndex));
  if (agents.length === 0) return [];
  const { checkIndex } = await import("./doctor-index.ts");
  const checkups: Checkup[] = [];
  for (const { root, sessionIndex } of agents) {
    const visit = { agentDir: root, store, config: config.value, values, fixing };
    checkups.push(...(await attempt(`Session index ${sessionIndex}`, () => checkIndex(visit))));
  }
  return checkups;
}

async function credentials(
  visit: AgentsVisit,
  ids: readonly string[],
  adoptFrom: string | undefined,
): Promise<Checkup[]> {
  const { options, config, values } = visit;
  const [{ readKeys }, { checkCredentials }] = await Promise.all([
    import("./doctor-secrets.ts"),
    import("./doctor-credentials.ts"),
  ]);
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
      values,
      now: Date.now(),
    });
    if (found.profiles > 0 || found.checkup.findings.length > 0) checkups.push(found.checkup);
    checkups.push(...(await models(visit, agentId, found)));
  }
  return checkups;
}

async function models(
  { options: { stateDir }, config, values, fixing }: AgentsVisit,
  agentId: string,
  { providers, file }: CheckedCredentials,
): Promise<Checkup[]> {
  const { value, env, files } = config;
  // Without the config, or without the profiles, it cannot be told what should be in it.
  if (value === undefined || providers === undefined) return [];
  const { checkModels } = await import("./doctor-models.ts");
  const sources = [file, ...files];
  const visit = { stateDir, agentId, providers, config: value, env, sources, values, fixing };
  const found = await attempt(`Models of agent ${agentId}`, () => checkModels(visit));
  const there = existsSync(stateLayout(stateDir).agent(agentId).models);
  return found.filter(({ findings }) => there || findings.length > 0);
}
