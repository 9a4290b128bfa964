import { newBuild } from "../../../state/config/config-build.ts";
import { systemReads } from "../../../state/config/files/reads.ts";
import { findFile } from "../../../state/config/steps/find-file.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { configOptions } from "../../store/config-options.ts";
import { reportFindings } from "./view.ts";

/** Does not read the file, so it works with a broken config too. */
export async function run(call: Call): Promise<number> {
  const options = configOptions(call);
  const build = newBuild(options, systemReads);
  await findFile(build);
  reportFindings(call, build.findings);
  const { file, exists, adopted } = build;
  if (call.json) call.out.json({ file, exists, adopted, stateDir: options.stateDir });
  else {
    call.out.lines([safeLine(file)]);
    if (!exists) call.out.note("The file does not exist yet; the defaults apply");
  }
  return EXIT_DONE;
}
