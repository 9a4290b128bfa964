import { parsePath } from "../../../state/config/config-path.ts";
import { setConfig } from "../../../state/config/files/change.ts";
import { valueOfText } from "../../../state/config/value-text.ts";
import type { Call, Result } from "../../command.ts";
import { readStdin } from "../../input/stdin.ts";
import { changed, changeOptions } from "./change.ts";

const VALUE_BYTES_MAX = 1024 * 1024;

export async function run(call: Call): Promise<Result> {
  const [typed = "", text = ""] = call.args;
  const path = parsePath(typed);
  const given = text === "-" ? (await readStdin("VALUE", VALUE_BYTES_MAX)).replace(/\r?\n$/, "") : text;
  const change = await setConfig(changeOptions(call), path, valueOfText(given, path));
  return changed(call, change, "Set");
}
