import { newBuild, patchFolderOf } from "../../../state/config/config-build.ts";
import { systemReads } from "../../../state/config/files/reads.ts";
import { patchNames } from "../../../state/config/steps/apply-patches.ts";
import { findFile } from "../../../state/config/steps/find-file.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { configOptions } from "../../input/config-options.ts";
import { reportFindings } from "./view.ts";

/** Does not read the file, so it works with a broken config too. */
export async function run(call: Call): Promise<Result> {
  const options = configOptions(call);
  const build = newBuild(options, systemReads);
  await findFile(build);
  reportFindings(call, build.findings);
  const { file, exists, adopted } = build;
  const patches = patchFolderOf(build);
  const inEffect = patchNames(build).length > 0 ? `${safeLine(patches)} applies` : "the defaults apply";
  return {
    json: { file, exists, adopted, stateDir: options.stateDir },
    lines: [safeLine(file)],
    notes: exists ? [] : [`The file does not exist yet; ${inEffect}`],
  };
}
