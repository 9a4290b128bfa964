/** Tells whether a channel that runs still is what the config describes. */
import { asColloquyError } from "../../errors.ts";
import { objectIn } from "../../util/values.ts";
import { tokenVariable } from "./channel-settings.ts";
import type { Installation } from "./installation.ts";

/** Changes when a channel has to be started again. Contains secrets. */
export async function channelStamp(
  { config, env, credentials }: Pick<Installation, "config" | "env" | "credentials">,
  name: string,
): Promise<string> {
  const section = objectIn(config.channels)?.[name];
  const { streaming, plugins } = config;
  const keys = await credentials
    .stamp(name)
    .catch((error: unknown) => asColloquyError(error, "Cannot read the credentials").message);
  return JSON.stringify([section, streaming, plugins, env[tokenVariable(name)], keys]);
}
