/** What the doors to the state folder promise. */
import { type DoctorReport, runDoctor } from "../../src/doctor/index.ts";
import {
  type ConfigChange,
  type LoadedConfig,
  loadConfig,
  setConfig,
  unsetConfig,
  watchConfig,
} from "../../src/state/config/index.ts";
import { type Credentials, openCredentials } from "../../src/state/credentials/index.ts";
import { composeModels, type ModelsFile } from "../../src/state/models/index.ts";
import { loadSessionStore, type SessionStore } from "../../src/state/session-index/index.ts";
import type { Equal, True } from "./equal.ts";

const stateDir = "/home/me/.colloquy";

export async function called(): Promise<unknown[]> {
  const store = { target: "ephemeral:", engine: "ephemeral", path: null, expected: true, indexed: true };
  return [
    await loadConfig({ stateDir }),
    await setConfig({ stateDir }, "gateway.port", 8080),
    await unsetConfig({ stateDir }, ["gateway", "port"]),
    await watchConfig({ stateDir }, console.log, console.error),
    openCredentials({ stateDir }),
    composeModels({ providers: ["openai"] }).file,
    loadSessionStore({ agentDir: `${stateDir}/agents/main` }),
    await runDoctor({ config: { stateDir }, store }),
    // @ts-expect-error A config is always that of one state folder.
    await loadConfig({}),
  ];
}

export type Checks = [
  True<Equal<ReturnType<typeof loadConfig>, Promise<LoadedConfig>>>,
  True<Equal<ReturnType<typeof setConfig>, Promise<ConfigChange>>>,
  True<Equal<ReturnType<typeof openCredentials>, Credentials>>,
  True<Equal<ReturnType<typeof composeModels>["file"], ModelsFile>>,
  True<Equal<ReturnType<typeof loadSessionStore>, SessionStore>>,
  True<Equal<ReturnType<typeof runDoctor>, Promise<DoctorReport>>>,
  True<Equal<DoctorReport["findings"][number]["severity"], "error" | "warning" | "note">>,
];
