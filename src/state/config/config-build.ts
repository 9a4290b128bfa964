/** A config while the pipeline builds it. */

import { dirname, join } from "node:path";
import { checkObject, checkString } from "../../util/checked-arguments.ts";
import type { Json, JsonObject } from "../../util/json.ts";
import type { Clock } from "../../util/time.ts";
import { CONFIG_NAME, type Environment, PATCHES_NAME } from "../folder.ts";
import type { Path } from "../json5/nodes.ts";
import type { ConfigReads, Stamp } from "./files/reads.ts";
import type { Finding } from "./finding.ts";
import type { OriginKind, Place, Tree } from "./located.ts";

/** One `--set PATH=VALUE`. */
export interface Override {
  readonly path: Path;
  readonly value: Json;
}

export interface ConfigOptions {
  readonly stateDir: string;
  /** Default: those of the process. */
  readonly env?: Environment;
  readonly home?: string;
  /** From the command line. They override every file. */
  readonly overrides?: readonly Override[];
  /** Whether to read the config of an OpenClaw where there is no `colloquy.json`. Default true. */
  readonly adopt?: boolean;
  /** How long a loaded config may be reused while no file changes. Default 45,000; 0 never. */
  readonly cacheTtlMs?: number;
  /** Remove the access of others to the files. Default true. */
  readonly repair?: boolean;
  /** Return wrong values as findings instead of throwing. */
  readonly tolerant?: boolean;
  /** The sections that the caller uses: wrong values and missing variables in others are findings. Default: all. */
  readonly sections?: readonly string[];
  readonly reads?: ConfigReads;
  readonly clock?: Clock;
  /** Time limit of the login shell. Default and maximum: 15 s. */
  readonly shellTimeoutMs?: number;
}

export interface Origin {
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly origin: OriginKind;
  /** `file:line:column` of the `$include` that loaded the file. */
  readonly via?: string;
  /** The variables that the value contains. */
  readonly variables?: readonly string[];
}

export interface LoadedConfig {
  /** A copy that the caller may change. */
  readonly value: JsonObject;
  /** Where the value at a path comes from; `undefined` when there is none. */
  sourceOf(path: string | Path): Origin | undefined;
  readonly warnings: readonly Finding[];
  /** The main file, whether or not it exists. */
  readonly file: string;
  readonly exists: boolean;
  /** The file belongs to an OpenClaw. */
  readonly adopted: boolean;
  /** Every file that was read, the main one first. */
  readonly files: readonly string[];
  /** The environment with the variables of `.env`, `env.vars` and the login shell. Contains secrets. */
  readonly env: Environment;
}

/** Where the value of a variable comes from. */
export type VariableSource = "environment" | ".env" | "env.vars" | "login shell";

/** Variables of a value that could not be replaced. */
export interface Unreplaced {
  readonly path: Path;
  readonly missing: readonly string[];
  /** Names with lower-case letters. */
  readonly lower: readonly string[];
}

export interface ConfigBuild {
  readonly options: ConfigOptions;
  readonly reads: ConfigReads;
  readonly realEnv: Environment;
  readonly home: string;
  readonly clock: Clock;
  file: string;
  exists: boolean;
  adopted: boolean;
  /** The state of every path when it was read. */
  readonly stamps: Map<string, Stamp>;
  readonly files: string[];
  /** The variables that were looked up in the real environment, and their values. */
  readonly asked: Map<string, string | undefined>;
  /** Added to the real environment. */
  readonly added: Map<string, { readonly value: string; readonly from: VariableSource }>;
  tree: Tree;
  /** With defaults and absolute paths. */
  final: Tree;
  /** Every name after a `$include`, and the real path of its file. */
  readonly includes: { readonly at: Place; readonly file: string }[];
  /** By the place of the value. They count if the value is still there at the end. */
  readonly unreplaced: Map<Place, Unreplaced>;
  readonly patches: { readonly name: string; readonly tree: Tree }[];
  readonly findings: Finding[];
  /** A build of the same config to use instead of this one. */
  cached: ConfigBuild | undefined;
}

const NOTHING: Tree = {
  kind: "object",
  members: new Map(),
  at: { source: { kind: "file", file: null }, line: null, column: null, up: undefined, key: "" },
};

/** A folder in place of the options is a likely slip. */
export function checkOptions(options: unknown): void {
  checkObject(options, "options");
  checkString((options as ConfigOptions).stateDir, "stateDir");
}

export function newBuild(options: ConfigOptions, reads: ConfigReads): ConfigBuild {
  return {
    options,
    reads,
    realEnv: options.env ?? process.env,
    home: options.home ?? process.getBuiltinModule("node:os").homedir(),
    clock: options.clock ?? Date.now,
    file: join(options.stateDir, CONFIG_NAME),
    exists: false,
    adopted: false,
    stamps: new Map(),
    files: [],
    asked: new Map(),
    added: new Map(),
    tree: NOTHING,
    final: NOTHING,
    includes: [],
    unreplaced: new Map(),
    patches: [],
    findings: [],
    cached: undefined,
  };
}

/** Whether the caller uses the section that a path is in. What concerns a whole file concerns everyone. */
export function isUsed({ options: { sections } }: ConfigBuild, path: string): boolean {
  return path === "" || sections === undefined || sections.includes(/^[^.[]*/.exec(path)?.[0] ?? "");
}

/** The folder of the main file. Includes must be in it, and so are `.env` and `config.d`. */
export function folderOf(build: ConfigBuild): string {
  return dirname(build.file);
}

export function dotEnvOf(build: ConfigBuild): string {
  return join(folderOf(build), ".env");
}

export function patchFolderOf(build: ConfigBuild): string {
  return join(folderOf(build), PATCHES_NAME);
}

/** The value of a variable. An empty one counts as missing. */
export function variable(build: ConfigBuild, name: string): string | undefined {
  const real = Object.hasOwn(build.realEnv, name) ? build.realEnv[name] : undefined;
  build.asked.set(name, real);
  return real || build.added.get(name)?.value || undefined;
}

/** Add a variable, unless the environment has it. */
export function addVariable(build: ConfigBuild, name: string, value: string, from: VariableSource): void {
  if (variable(build, name) === undefined && value !== "") build.added.set(name, { value, from });
}
