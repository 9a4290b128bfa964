/** Shared by the commands about credentials and models. */
import { asColloquyError, ColloquyError } from "../../../errors.ts";
import { findAdoptable } from "../../../state/adopt.ts";
import type { ConfigOptions } from "../../../state/config/config-build.ts";
import { loadConfig } from "../../../state/config/load.ts";
import { type Credentials, openCredentials } from "../../../state/credentials/index.ts";
import type { Environment } from "../../../state/folder.ts";
import type { Call } from "../../command.ts";
import { configOptions } from "../../input/config-options.ts";
import { report } from "../../output.ts";

export interface Access {
  readonly credentials: Credentials;
  readonly stateDir: string;
  readonly agentId: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Including variables from `.env` and `env.vars`. */
  readonly env: Environment;
}

/** With `needsConfig`, an invalid config ends the command. Otherwise it is a warning, so that secrets can still be managed. */
export async function access(call: Call, { needsConfig }: { needsConfig: boolean }): Promise<Access> {
  const options = configOptions(call);
  const { env, value: config } = await settings(call, options, needsConfig);
  const { stateDir } = options;
  const agentId = call.values.get("agent") ?? "main";
  // A profile is a separate place and adopts nothing.
  const adopted = options.adopt === false ? undefined : findAdoptable(process.env, options.home ?? "");
  const onNotice = (text: string): void => warn(call, text);
  const adoptFrom = adopted === undefined ? {} : { adoptFrom: adopted.folder };
  const credentials = openCredentials({ stateDir, agentId, env, onNotice, ...adoptFrom });
  return { credentials, stateDir, agentId, config, env };
}

export function warn(call: Call, text: string): void {
  report("warning", new ColloquyError("VALIDATION_ERROR", text), call.json);
}

async function settings(
  call: Call,
  options: ConfigOptions,
  needed: boolean,
): Promise<{ env: Environment; value: Readonly<Record<string, unknown>> }> {
  try {
    return await loadConfig(options);
  } catch (error) {
    if (needed) throw error;
    warn(call, asColloquyError(error, "Cannot read the config").message);
    return { env: process.env, value: {} };
  }
}
