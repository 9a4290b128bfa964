import { ColloquyError } from "../../../errors.ts";
import { parsePath } from "../../../state/config/config-path.ts";
import { unsetConfig } from "../../../state/config/files/change.ts";
import type { Call, Result } from "../../command.ts";
import { changed, changeOptions } from "./change.ts";

export async function run(call: Call): Promise<Result> {
  const change = await unsetConfig(changeOptions(call), parsePath(call.args[0] ?? ""));
  if (!change.changed) {
    throw new ColloquyError("NOT_FOUND", `"${change.path}" is not set in the config`, { field: "PATH" });
  }
  return changed(call, change, "Removed");
}
