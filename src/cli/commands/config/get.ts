import { withoutTokens } from "../../../errors.ts";
import { parsePath } from "../../../state/config/config-path.ts";
import { hideSecrets } from "../../../state/config/hide-secrets.ts";
import { loaded, tryLoad } from "../../../state/config/load.ts";
import type { Path } from "../../../state/json5/nodes.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { safeText } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { configOptions } from "../../input/config-options.ts";
import { jsonText } from "../../terminal/json-text.ts";
import { notSet } from "./not-set.ts";
import { reportFindings } from "./view.ts";

export async function run(call: Call): Promise<Result> {
  const [typed = ""] = call.args;
  const path = typed === "" ? [] : parsePath(typed);
  const sections = path.length === 0 ? {} : { sections: path.slice(0, 1) };
  const { build, failure } = await tryLoad({ ...configOptions(call), ...sections });
  reportFindings(
    call,
    build.findings.filter(({ severity }) => failure === undefined || severity === "info"),
  );
  if (failure !== undefined) throw failure.error;
  const config = loaded(build);
  const found = valueAt(config.value, path);
  if (found === undefined) throw notSet(config.value, path);
  const value = hideSecrets(config, found, path);
  const { file = null, line = null, column = null, origin = null } = config.sourceOf(path) ?? {};
  return {
    json: { path: withoutTokens(typed), value, source: { file, line, column, origin } },
    lines: [typeof value === "string" ? safeText(value) : jsonText(value, 2)],
  };
}

function valueAt(value: JsonObject, path: Path): Json | undefined {
  let at: Json | undefined = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as JsonObject)[key];
  }
  return at;
}
