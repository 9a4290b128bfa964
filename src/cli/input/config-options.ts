import { homedir } from "node:os";
import type { ConfigOptions } from "../../state/config/config-build.ts";
import { overrideOf } from "../../state/config/override.ts";
import { resolveStateDir } from "../../state/folder.ts";
import type { Call } from "../command.ts";

/** The config that a command line refers to, with the overrides of `--set`. */
export function configOptions({ values, lists }: Call): ConfigOptions {
  const home = homedir();
  const profile = values.get("profile");
  return {
    stateDir: resolveStateDir({ flag: values.get("state-dir"), profile, env: process.env, home }),
    home,
    // A profile is a separate place and adopts nothing.
    adopt: profile === undefined,
    overrides: (lists.get("set") ?? []).map(overrideOf),
  };
}
