import { addVariable, type ConfigBuild, dotEnvOf } from "../config-build.ts";
import { readText } from "../files/read-file.ts";

/** Step 5: variables of `.env` beside the config. The real environment wins. */
export function loadDotEnv(build: ConfigBuild): void {
  const { parseEnv } = process.getBuiltinModule("node:util");
  for (const [name, value] of Object.entries(parseEnv(readText(build, dotEnvOf(build))))) {
    addVariable(build, name, value ?? "", ".env");
  }
}
