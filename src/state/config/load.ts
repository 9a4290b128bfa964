import { unavailable } from "../../errors.ts";
import { defined, type JsonObject } from "../../util/json.ts";
import type { Path } from "../json5/nodes.ts";
import { hasChanged, remember } from "./cache.ts";
import {
  type ConfigBuild,
  type ConfigOptions,
  checkOptions,
  type LoadedConfig,
  newBuild,
  type Origin,
} from "./config-build.ts";
import { asPath } from "./config-path.ts";
import { systemReads } from "./files/reads.ts";
import type { Finding } from "./finding.ts";
import { plain, type Tree, treeAt } from "./located.ts";
import { runPipeline } from "./pipeline.ts";

const ATTEMPTS = 4;
const PAUSE_MS = 25;

/**
 * Load the config of a state folder.
 *
 * Without a file the defaults apply. A file with errors is never treated as
 * empty: `VALIDATION_ERROR` names file, line, column and path, and holds all
 * findings in `details.findings`. Files that change while they are read are
 * read again, so that the result is consistent.
 */
export async function loadConfig(options: ConfigOptions): Promise<LoadedConfig> {
  return loaded(await loadBuild(options));
}

/** `loadConfig` for callers that need more than the values. */
export async function loadBuild(options: ConfigOptions): Promise<ConfigBuild> {
  const { build, failure } = await tryLoad(options);
  if (failure !== undefined) throw failure.error;
  return build;
}

interface Failure {
  readonly error: unknown;
}

export interface Try {
  /** Present after a failure too: it knows which files were involved. */
  readonly build: ConfigBuild;
  readonly failure: Failure | undefined;
}

/** `loadBuild` that returns a failure instead of throwing it. */
export async function tryLoad(options: ConfigOptions): Promise<Try> {
  checkOptions(options);
  let before: ConfigBuild | undefined;
  for (let attempt = 1; ; attempt++) {
    const build = newBuild(options, options.reads ?? systemReads);
    const failure = await failureOf(build);
    if (before !== undefined && isGone(before, build)) return { build, failure: vanished(before) };
    // Permissions that the first attempt repaired are in order at the next.
    build.findings.unshift(...(before?.findings ?? []).filter(isRepair));
    before = build;
    if (build.cached !== undefined) return { build: fromCache(build.cached, build), failure: undefined };
    if (attempt < ATTEMPTS && isMoving(build, failure)) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      continue;
    }
    if (failure === undefined) remember(build);
    return { build, failure };
  }
}

/** Whether the file has vanished. The config of an OpenClaw does not replace our own. */
export function isGone(before: ConfigBuild, now: ConfigBuild): boolean {
  return before.exists && (!now.exists || (now.adopted && !before.adopted));
}

function isRepair({ code, severity }: Finding): boolean {
  return code === "permissions" && severity === "info";
}

function vanished({ file }: ConfigBuild): Failure {
  return { error: unavailable(`${file} disappeared while it was read`, { details: { file } }) };
}

/** A cached build with the environment of the caller. */
function fromCache(cached: ConfigBuild, { options, realEnv, clock }: ConfigBuild): ConfigBuild {
  return { ...cached, options, realEnv, clock };
}

async function failureOf(build: ConfigBuild): Promise<Failure | undefined> {
  try {
    await runPipeline(build);
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** Whether a file changed during the reading. */
function isMoving(build: ConfigBuild, failure: Failure | undefined): boolean {
  if (hasChanged(build.stamps, build.reads)) return true;
  const cause = (failure?.error as Error | undefined)?.cause as NodeJS.ErrnoException | undefined;
  return cause?.code === "ENOENT";
}

export function loaded(build: ConfigBuild): LoadedConfig {
  let value: JsonObject | undefined;
  return {
    // Copied on demand: most callers need a few settings, or only want to know that there are no errors.
    get value() {
      value ??= plain(build.final) as JsonObject;
      return value;
    },
    sourceOf: (path) => originOf(build.final, asPath(path)),
    warnings: build.findings.map((found) => ({ ...found })),
    file: build.file,
    exists: build.exists,
    adopted: build.adopted,
    files: [...build.files],
    get env() {
      const added = [...build.added].map(([name, { value }]) => [name, value] as const);
      return { ...build.realEnv, ...Object.fromEntries(added) };
    },
  };
}

function originOf(tree: Tree, path: Path): Origin | undefined {
  const at = treeAt(tree, path)?.at;
  if (at === undefined) return undefined;
  const { source, line, column, variables } = at;
  return {
    file: source.file,
    line,
    column,
    origin: variables === undefined ? source.kind : "env",
    ...defined({ via: source.via, variables }),
  };
}
