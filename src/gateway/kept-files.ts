/** Keeps the session index and the models file of the state folder current while a gateway runs. */
import { setTimeout as wait } from "node:timers/promises";
import { defaultAgentId } from "../agent/index.ts";
import type { Agents } from "../channel/setup/agents.ts";
import { asColloquyError } from "../errors.ts";
import { stateLayout } from "../state/folder.ts";
import { writeModelsConfig } from "../state/models/index.ts";
import { syncSessionIndex } from "../state/session-index/index.ts";
import type { GatewayLog } from "./log.ts";

/** The index is written at most this often, however much changes. */
const PAUSE_MS = 10_000;

/** Until the signal. What cannot be written is noted, and tried again with the next change. */
export async function keepFiles(agents: Agents, log: GatewayLog, signal: AbortSignal): Promise<void> {
  const { store, stateDir } = agents.installation;
  const changes = store.changes({ signal });
  await attempt(log, "models.json", () => writeModels(agents));
  const agentDir = stateLayout(stateDir).agent(defaultAgentId(agents.installation.config)).root;
  const sync = (): Promise<unknown> => syncSessionIndex(store, agentDir);
  await attempt(log, "sessions.json", sync);
  for (;;) {
    const change = await changes.next();
    if (change.done === true) return;
    // Entries are noted by the run that wrote them.
    if (change.value.type === "entry") continue;
    await wait(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await attempt(log, "sessions.json", sync);
  }
}

async function writeModels({ installation }: Agents): Promise<void> {
  const { credentials, stateDir, config, env, onNotice } = installation;
  const agentId = defaultAgentId(config);
  await writeModelsConfig({
    stateDir,
    agentId,
    providers: await credentials.providers(),
    config,
    env,
    onNotice,
  });
}

async function attempt(log: GatewayLog, file: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ file, problem: asColloquyError(error, `Cannot write ${file}`).message }, "not written");
  }
}
