import type { ChangeOptions, ConfigChange } from "../../../state/config/files/change.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { configOptions } from "../../store/config-options.ts";
import { packageVersion } from "../../version.ts";
import { tellNotices } from "./view.ts";

export function changeOptions(call: Call): ChangeOptions {
  return { ...configOptions(call), version: packageVersion() };
}

/** Say what was changed, and never to what: it may be a secret. */
export function changed(call: Call, { path, file, backup, notices }: ConfigChange, did: string): number {
  const { json, out } = call;
  tellNotices(call, notices);
  if (json) out.json({ path, file, backup });
  else out.lines([`${did} ${safeLine(path)} in ${safeLine(file)}`]);
  return EXIT_DONE;
}
