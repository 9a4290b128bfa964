/** Keeps the session index and the models file of the state folder current while a gateway runs. */
import { setTimeout as wait } from "node:timers/promises";
import { defaultAgentId } from "../agent/index.ts";
import type { Agents } from "../channel/setup/agents.ts";
import { asColloquyError } from "../errors.ts";
import { stateLayout } from "../state/folder.ts";
import { writeModelsConfig } from "../state/models/index.ts";
import { syncSessionIndex } from "../state/session-index/index.ts";
import type { Change } from "../store/index.ts";
import type { GatewayLog } from "./log.ts";

/** A sync lists every conversation, so that it is made seldom where it takes long. */
const PAUSE_MIN_MS = 1000;
const PAUSE_SHARE = 20;

/** Until the signal. What cannot be written is noted, and tried again with the next change. */
export async function keepFiles(agents: Agents, log: GatewayLog, signal: AbortSignal): Promise<void> {
  const { store, stateDir } = agents.installation;
  const changes = store.changes({ signal });
  await attempt(log, "models.json", () => writeModels(agents));
  const agentDir = stateLayout(stateDir).agent(defaultAgentId(agents.installation.config)).root;
  const sync = (): Promise<unknown> => syncSessionIndex(store, agentDir);
  for (;;) {
    const startMs = performance.now();
    await attempt(log, "sessions.json", sync);
    const pauseMs = Math.max(PAUSE_MIN_MS, PAUSE_SHARE * (performance.now() - startMs));
    if (!(await somethingElse(changes))) return;
    await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
  }
}

/** Waits for a change that the index shows. False at the end. Entries are noted by the run that wrote them. */
async function somethingElse(changes: AsyncGenerator<Change>): Promise<boolean> {
  for (;;) {
    const change = await changes.next();
    if (change.done === true) return false;
    if (change.value.type !== "entry") return true;
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
