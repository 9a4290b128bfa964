import { unavailable } from "../../errors.ts";
import type { JsonObject } from "../../util/json.ts";
import type { Path } from "../json5/nodes.ts";
import { hasChanged, remember } from "./cache.ts";
import { type ConfigOptions, type Draft, type LoadedConfig, newDraft, type Origin } from "./config-build.ts";
import { parsePath } from "./config-path.ts";
import { systemReads } from "./files/reads.ts";
import type { Finding } from "./finding.ts";
import { plain, type Tree, treeAt } from "./located.ts";
import { runPipeline } from "./pipeline.ts";

const ATTEMPTS = 4;
const PAUSE_MS = 25;

/**
 * Load the config of a state folder.
 *
 * Without a file the config is that of the defaults. One that is there and
 * wrong is never taken for an empty one: `VALIDATION_ERROR` says file, line,
 * column and path, and has all findings in `details.findings`. Files that
 * change while they are read are read again, so that the result is what
 * stood on the disk at one time.
 */
export async function loadConfig(options: ConfigOptions): Promise<LoadedConfig> {
  return loaded(await loadDraft(options));
}

/** The same, for those who need more than the values. */
export async function loadDraft(options: ConfigOptions): Promise<Draft> {
  const { draft, failure } = await tryLoad(options);
  if (failure !== undefined) throw failure.error;
  return draft;
}

interface Failure {
  readonly error: unknown;
}

export interface Try {
  /** Also of a failure: it knows which files had a part in it. */
  readonly draft: Draft;
  readonly failure: Failure | undefined;
}

/** The same, without an exception. */
export async function tryLoad(options: ConfigOptions): Promise<Try> {
  let before: Draft | undefined;
  for (let attempt = 1; ; attempt++) {
    const draft = newDraft(options, options.reads ?? systemReads);
    const failure = await failureOf(draft);
    if (before !== undefined && isGone(before, draft)) return { draft, failure: vanished(before) };
    // What was closed at the first try is not found open at the next.
    draft.findings.unshift(...(before?.findings ?? []).filter(isRepair));
    before = draft;
    if (draft.cached !== undefined)
      return { draft: fromCache(draft.cached.draft, draft), failure: undefined };
    if (attempt < ATTEMPTS && isMoving(draft, failure)) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      continue;
    }
    if (failure === undefined) remember(draft);
    return { draft, failure };
  }
}

/** Whether the file has vanished. The config of an OpenClaw does not take the place of one that was ours. */
export function isGone(before: Draft, now: Draft): boolean {
  return before.exists && (!now.exists || (now.adopted && !before.adopted));
}

function isRepair({ code, severity }: Finding): boolean {
  return code === "permissions" && severity === "info";
}

function vanished({ file }: Draft): Failure {
  return { error: unavailable(`${file} vanished while it was being read`, { details: { file } }) };
}

/** What was loaded for somebody else, without the environment of that one. */
function fromCache(cached: Draft, { options, realEnv, clock }: Draft): Draft {
  return { ...cached, options, realEnv, clock };
}

async function failureOf(draft: Draft): Promise<Failure | undefined> {
  try {
    await runPipeline(draft);
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** Whether something was being written meanwhile. */
function isMoving(draft: Draft, failure: Failure | undefined): boolean {
  if (hasChanged(draft.stamps, draft.reads)) return true;
  const cause = (failure?.error as Error | undefined)?.cause as NodeJS.ErrnoException | undefined;
  return cause?.code === "ENOENT";
}

export function loaded(draft: Draft): LoadedConfig {
  let value: JsonObject | undefined;
  return {
    // Copied when it is asked for: most who load want a few settings, or only to know that all is well.
    get value() {
      value ??= plain(draft.final) as JsonObject;
      return value;
    },
    sourceOf: (path) => originOf(draft.final, typeof path === "string" ? parsePath(path) : path),
    warnings: draft.findings.map((found) => ({ ...found })),
    file: draft.file,
    exists: draft.exists,
    adopted: draft.adopted,
    files: [...draft.files],
    get env() {
      const added = [...draft.added].map(([name, { value }]) => [name, value] as const);
      return { ...draft.realEnv, ...Object.fromEntries(added) };
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
    ...(source.via === undefined ? {} : { via: source.via }),
    ...(variables === undefined ? {} : { variables }),
  };
}
