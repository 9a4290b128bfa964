import type { ChangeOptions, ConfigChange } from "../../../state/config/files/change.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { configOptions } from "../../store/config-options.ts";
import { packageVersion } from "../../version.ts";
import { reportFindings } from "./view.ts";

export function changeOptions(call: Call): ChangeOptions {
  return { ...configOptions(call), version: packageVersion() };
}

/** Report what was changed, but not the value: it may be a secret. */
export function changed(call: Call, { path, file, backup, notices }: ConfigChange, did: string): number {
  const { json, out } = call;
  reportFindings(call, notices);
  if (json) out.json({ path, file, backup });
  else out.lines([`${did} ${safeLine(path)} in ${safeLine(file)}`]);
  return EXIT_DONE;
}
