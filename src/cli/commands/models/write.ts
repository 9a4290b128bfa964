import { writeModelsConfig } from "../../../state/models/index.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { access, warn } from "../auth/access.ts";

export async function run(call: Call): Promise<number> {
  const { credentials, stateDir, agentId, config, env } = await access(call, { needsConfig: true });
  const providers = await credentials.providers();
  const onNotice = (text: string): void => warn(call, text);
  const written = await writeModelsConfig({ stateDir, agentId, providers, config, env, onNotice });
  const { path, changed, file, warnings } = written;
  for (const warning of warnings) warn(call, warning);
  const names = Object.keys(file.providers);
  if (call.json) call.out.json({ path, changed, providers: names });
  else
    call.out.lines([
      safeLine(
        `${changed ? "Wrote" : "Already up to date:"} ${path} (${names.join(", ") || "no providers"})`,
      ),
    ]);
  return EXIT_DONE;
}
