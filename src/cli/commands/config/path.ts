import { newBuild } from "../../../state/config/config-build.ts";
import { systemReads } from "../../../state/config/files/reads.ts";
import { findFile } from "../../../state/config/steps/find-file.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { configOptions } from "../../store/config-options.ts";
import { tellNotices } from "./view.ts";

/** Reads nothing, so that it answers also when the config is broken. */
export async function run(call: Call): Promise<number> {
  const options = configOptions(call);
  const build = newBuild(options, systemReads);
  await findFile(build);
  tellNotices(call, build.findings);
  const { file, exists, adopted } = build;
  if (call.json) call.out.json({ file, exists, adopted, stateDir: options.stateDir });
  else {
    call.out.lines([safeLine(file)]);
    if (!exists) call.out.note("It is not there yet: the defaults are in force");
  }
  return EXIT_DONE;
}
