import { asColloquyError, type ColloquyError } from "../errors.ts";
import type { ConfigOptions } from "../state/config/config-build.ts";
import { type Finding, findingText } from "../state/config/finding.ts";
import type { Environment } from "../state/folder.ts";
import type { JsonObject } from "../util/json.ts";
import type { Checkup, DoctorFinding } from "./doctor-checks.ts";
import { nextCommand } from "./invocation.ts";

export interface CheckedConfig {
  readonly checkup: Checkup;
  /** `undefined` when the config cannot be used as it is. */
  readonly value: JsonObject | undefined;
  /** With what `.env` and `env.vars` add, as far as they could be read. */
  readonly env: Environment;
  /** That it was read from. */
  readonly files: readonly string[];
}

type Values = ReadonlyMap<string, string>;

/** Load it as every command does, but close no files: that is another check. */
export async function checkConfig(options: ConfigOptions, values: Values): Promise<CheckedConfig> {
  const { loadConfig } = await import("../state/config/load.ts");
  try {
    const config = await loadConfig({ ...options, tolerant: true, repair: false });
    const checked = config.exists ? `Config ${config.file}` : "No config: the defaults are in force";
    const checkup = { checked, findings: findingsOf(config.warnings, values) };
    const usable = config.warnings.every(({ severity }) => severity !== "error");
    const { env, files } = config;
    return { checkup, value: usable ? config.value : undefined, env, files };
  } catch (error) {
    const failure = asColloquyError(error, "The config cannot be read");
    const checkup = { checked: "Config", findings: failuresOf(failure, values) };
    return { checkup, value: undefined, env: options.env ?? process.env, files: [] };
  }
}

function failuresOf(error: ColloquyError, values: Values): DoctorFinding[] {
  const { findings } = (error.details ?? {}) as { readonly findings?: readonly Finding[] };
  if (findings !== undefined) return findingsOf(findings, values);
  const fix = "Correct it; until then commands that need the config stop. The versions before are beside it";
  return [{ code: "config-not-readable", severity: "error", what: error.message, fix }];
}

const UNUSED = "unused-section";

function findingsOf(findings: readonly Finding[], values: Values): DoctorFinding[] {
  const unused = findings.filter(({ code }) => code === UNUSED);
  return [
    ...findings.filter(({ code }) => code !== UNUSED).map((found) => asDoctorFinding(found, values)),
    ...(unused.length === 0 ? [] : [unusedSections(unused)]),
  ];
}

function asDoctorFinding(found: Finding, values: Values): DoctorFinding {
  const severity = found.severity === "info" ? "note" : found.severity;
  return { code: `config-${found.code}`, severity, what: findingText(found), fix: fixOf(found, values) };
}

function fixOf({ code, path }: Finding, values: Values): string {
  if (code === "wrong-value") return `Correct it: ${nextCommand(`config explain ${path}`, values)}`;
  return FIXES[code] ?? `Correct it: ${nextCommand("config validate", values)} shows all that is wrong`;
}

const FIXES: Readonly<Record<string, string>> = {
  adopted: "Nothing to do",
  "unknown-key": "Correct or remove it; until then it has no effect",
  "missing-variable": "Set the variable, or put it into .env beside the config",
  "lower-case-variable": "Write the name in upper case",
  "login-shell": "Correct env.shellEnv or the profile of the shell, or put the variables into .env",
};

/** One note for all: the config of another program has many. */
function unusedSections(unused: readonly Finding[]): DoctorFinding {
  const [first] = unused;
  const named = unused.map(({ path }) => path).join(", ");
  const what = `${first?.file ?? "The config"}: nothing uses these sections yet: ${named}`;
  return { code: `config-${UNUSED}`, severity: "note", what, fix: "Nothing to do: they are kept" };
}
