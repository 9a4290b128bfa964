import { writeModelsConfig } from "../../../state/models/index.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { access, warn } from "../auth/access.ts";

export async function run(call: Call): Promise<Result> {
  const { credentials, stateDir, agentId, config, env } = await access(call, "values");
  const providers = await credentials.providers();
  const onNotice = (text: string): void => warn(call, text);
  const written = await writeModelsConfig({ stateDir, agentId, providers, config, env, onNotice });
  const { path, changed, file, warnings } = written;
  for (const warning of warnings) warn(call, warning);
  const names = Object.keys(file.providers);
  const did = changed ? "Wrote" : "Already up to date:";
  return {
    json: { path, changed, providers: names },
    lines: [safeLine(`${did} ${path} (${names.join(", ") || "no providers"})`)],
  };
}
