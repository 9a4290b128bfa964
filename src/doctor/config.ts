import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { asColloquyError, type ColloquyError } from "../errors.ts";
import type { ConfigOptions, LoadedConfig } from "../state/config/config-build.ts";
import { type Finding, findingText } from "../state/config/finding.ts";
import { loadConfig } from "../state/config/load.ts";
import type { Environment } from "../state/folder.ts";
import type { JsonObject } from "../util/json.ts";
import { type Checkup, type DoctorFinding, type Fix, NOTHING_TO_DO } from "./finding.ts";

export interface CheckedConfig {
  readonly checkup: Checkup;
  /** `undefined` when the config has errors. */
  readonly value: JsonObject | undefined;
  /** The sections without errors. */
  readonly sound: JsonObject;
  /** Includes the variables of `.env` and `env.vars`, as far as they could be read. */
  readonly env: Environment;
  /** The files it was read from. */
  readonly files: readonly string[];
}

/** Load the config as every command does, but leave permissions to another check. */
export async function checkConfig(options: ConfigOptions): Promise<CheckedConfig> {
  try {
    const config = await loadConfig({ ...options, tolerant: true, repair: false });
    const patch = config.exists ? undefined : config.files.find((file) => file.endsWith(".json5"));
    const place = patch === undefined ? config.file : dirname(patch);
    const isNone = !config.exists && patch === undefined;
    const checked = isNone ? "No config: defaults apply" : `Config ${place}`;
    const checkup = { checked, findings: findingsOf(config.warnings) };
    const usable = config.warnings.every(({ severity }) => severity !== "error");
    const { env, files } = config;
    return { checkup, value: usable ? config.value : undefined, sound: soundPart(config), env, files };
  } catch (error) {
    const failure = asColloquyError(error, "Cannot read the config");
    const checkup = { checked: "Config", findings: failuresOf(failure) };
    return { checkup, value: undefined, sound: {}, env: options.env ?? process.env, files: [] };
  }
}

function soundPart({ value, warnings }: LoadedConfig): JsonObject {
  const bad = warnings
    .filter(({ severity }) => severity === "error")
    .map(({ path }) => /^[^.[]*/.exec(path)?.[0]);
  return Object.fromEntries(Object.entries(value).filter(([section]) => !bad.includes(section)));
}

function failuresOf(error: ColloquyError): DoctorFinding[] {
  const { findings, file } = (error.details ?? {}) as {
    readonly findings?: readonly Finding[];
    readonly file?: string;
  };
  if (findings !== undefined) return findingsOf(findings);
  const backup = `${file}.bak.1`;
  const former = existsSync(backup) ? `. The version before the last change: ${backup}` : "";
  const text = `Correct it: until then, commands that need the config fail${former}`;
  return [{ code: "config-not-readable", severity: "error", what: error.message, fix: { text } }];
}

const UNUSED = "unused-section";

function findingsOf(findings: readonly Finding[]): DoctorFinding[] {
  const unused = findings.filter(({ code }) => code === UNUSED);
  return [
    ...findings.filter(({ code }) => code !== UNUSED).map(asDoctorFinding),
    ...(unused.length === 0 ? [] : [unusedSections(unused)]),
  ];
}

function asDoctorFinding(found: Finding): DoctorFinding {
  const { code, file, line, column, path } = found;
  const severity = found.severity === "info" ? "note" : found.severity;
  const details = { file, line, column, path };
  return { code: `config-${code}`, severity, what: findingText(found), fix: fixOf(found), details };
}

function fixOf({ code, path, severity }: Finding): Fix {
  // A login shell that answered.
  if (severity === "info") return { text: NOTHING_TO_DO };
  if (code === "wrong-value")
    return { text: "Correct it. To see what is allowed", command: ["config", "explain", path] };
  const text = FIXES[code];
  return text === undefined
    ? { text: "Correct it. To see all problems", command: ["config", "validate"] }
    : { text };
}

const FIXES: Readonly<Record<string, string>> = {
  "unknown-key": "Correct or remove it. It has no effect",
  "missing-variable": "Set the variable, or add it to .env beside the config",
  "lower-case-variable": "Write the name in upper case",
  "login-shell": "Correct env.shellEnv or the startup files of the shell, or add the variables to .env",
};

/** One note for all of them: the config of another program has many. */
function unusedSections(unused: readonly Finding[]): DoctorFinding {
  const [first] = unused;
  const sections = unused.map(({ path }) => path);
  return {
    code: `config-${UNUSED}`,
    severity: "note",
    what: `${first?.file ?? "The config"}: these sections are not used yet: ${sections.join(", ")}`,
    fix: { text: `${NOTHING_TO_DO}: they are kept` },
    details: { sections },
  };
}
