/** Shared by the commands about credentials and models. */
import { asColloquyError, ColloquyError } from "../../../errors.ts";
import { findAdoptable } from "../../../state/adopt.ts";
import type { ConfigOptions } from "../../../state/config/config-build.ts";
import { type Credentials, openCredentials } from "../../../state/credentials/index.ts";
import type { Environment } from "../../../state/folder.ts";
import type { JsonObject } from "../../../util/json.ts";
import type { Call } from "../../command.ts";
import { configOptions } from "../../input/config-options.ts";
import { loadedConfig } from "../../input/loaded-config.ts";
import { report } from "../../output.ts";
import { isWrongValue } from "../config/view.ts";

export interface Access {
  readonly credentials: Credentials;
  readonly stateDir: string;
  readonly agentId: string;
  readonly config: JsonObject;
  /** Including variables from `.env` and `env.vars`. */
  readonly env: Environment;
}

/**
 * What a command needs of the config: its values, that it can be parsed (a command that writes must know where), or
 * nothing. What it does not need is a warning, so that secrets can still be managed.
 */
type Need = "values" | "syntax" | "nothing";

export async function access(
  call: Call,
  need: Need,
  sections: readonly string[] = ["env", "models"],
): Promise<Access> {
  const options = configOptions(call);
  const { env, value: config } = await settings(call, options, need, sections);
  const credentials = credentialsOf(call, env);
  return { credentials, stateDir: options.stateDir, agentId: credentials.agentId, config, env };
}

/** The credentials of the agent that a command line names, with the variables of its config. */
export function credentialsOf(call: Call, env: Environment): Credentials {
  const { adopt, home = "", stateDir } = configOptions(call);
  // A profile is a separate place and adopts nothing.
  const adopted = adopt === false ? undefined : findAdoptable(process.env, home);
  const onNotice = (text: string): void => warn(call, text);
  const adoptFrom = adopted === undefined ? {} : { adoptFrom: adopted.folder };
  const agentId = call.values.get("agent") ?? "main";
  return openCredentials({ stateDir, agentId, env, onNotice, ...adoptFrom });
}

export function warn(call: Call, text: string): void {
  report("warning", new ColloquyError("VALIDATION_ERROR", text), call.json);
}

async function settings(
  call: Call,
  options: ConfigOptions,
  need: Need,
  sections: readonly string[],
): Promise<{ env: Environment; value: JsonObject }> {
  try {
    return await loadedConfig(call, sections, options);
  } catch (error) {
    const known = asColloquyError(error, "Cannot read the config");
    if (need === "values" || (need === "syntax" && !isWrongValue(known))) throw known;
    warn(call, known.message);
    return { env: process.env, value: {} };
  }
}
