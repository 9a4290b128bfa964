import { withoutTokens } from "../../../errors.ts";
import type { ConfigBuild, Origin } from "../../../state/config/config-build.ts";
import { formatPath, parsePath } from "../../../state/config/config-path.ts";
import { hideSecrets } from "../../../state/config/hide-secrets.ts";
import { loadBuild, loaded } from "../../../state/config/load.ts";
import { plain, treeAt } from "../../../state/config/located.ts";
import { fieldAt, kindOf } from "../../../state/config/schema/field-at.ts";
import { SECTIONS } from "../../../state/config/schema/index.ts";
import type { Path } from "../../../state/json5/nodes.ts";
import type { Json } from "../../../util/json.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { configOptions } from "../../input/config-options.ts";
import { jsonText } from "../../terminal/json-text.ts";
import { notSet } from "./not-set.ts";
import { reportFindings } from "./view.ts";

export async function run(call: Call): Promise<Result> {
  const path = parsePath(call.args[0] ?? "");
  const build = await loadBuild({ ...configOptions(call), tolerant: true });
  const config = loaded(build);
  const field = fieldAt(path);
  const tree = treeAt(build.final, path);
  if (field === undefined && tree === undefined) throw notSet(config.value, path);
  const findings = build.findings.filter((found) => found.path === formatPath(path));
  reportFindings(call, findings);
  const about = {
    path: withoutTokens(formatPath(path)),
    value: tree === undefined ? null : hideSecrets(config, plain(tree), path),
    source: config.sourceOf(path) ?? null,
    variables: variablesOf(build, config.sourceOf(path)),
    description: field?.description ?? null,
    type: field === undefined ? null : kindOf(field),
    default: field?.default ?? null,
    secret: field?.secret === true,
    used: SECTIONS[path[0] ?? ""]?.used ?? false,
  };
  return { json: about, lines: lines(about, path, tree !== undefined) };
}

/** The variables in a value, and where each comes from. */
function variablesOf(build: ConfigBuild, origin: Origin | undefined): { name: string; from: string }[] {
  return (origin?.variables ?? []).map((name) => {
    // The environment takes precedence over added variables.
    const from = build.realEnv[name] ? "environment" : (build.added.get(name)?.from ?? "environment");
    return { name, from };
  });
}

interface About {
  readonly path: string;
  readonly value: Json;
  readonly source: Origin | null;
  readonly variables: readonly { readonly name: string; readonly from: string }[];
  readonly description: string | null;
  readonly type: string | null;
  readonly default: Json;
  readonly used: boolean;
}

function lines(about: About, path: Path, set: boolean): string[] {
  const { description, type, source, variables, used } = about;
  const named = variables.map(({ name, from }) => `${name} (${from})`).join(", ");
  return [
    `${safeLine(about.path)} = ${set ? jsonText(about.value, 2) : "not set"}`,
    ...(description === null ? [] : [description]),
    ...(type === null ? [] : [`Type: ${type}`]),
    ...(about.default === null ? [] : [`Default: ${jsonText(about.default, 0)}`]),
    `Source: ${source === null ? "none" : safeLine(placeText(source))}`,
    ...(source?.via === undefined ? [] : [`Included at ${safeLine(source.via)}`]),
    ...(named === "" ? [] : [`Variables: ${safeLine(named)}`]),
    ...(used ? [] : [`Not used yet: ${safeLine(path[0] ?? "")}`]),
  ];
}

const PLACES: Readonly<Partial<Record<Origin["origin"], string>>> = {
  override: "the command line (--set)",
  default: "the defaults",
};

function placeText({ file, line, column, origin }: Origin): string {
  const place = `${file}:${line}:${column}`;
  if (origin === "patch") return `${place}, a patch`;
  if (origin === "include") return `${place}, an included file`;
  return PLACES[origin] ?? place;
}
