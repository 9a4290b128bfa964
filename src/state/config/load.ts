import { unavailable } from "../../errors.ts";
import type { JsonObject } from "../../util/json.ts";
import type { Path } from "../json5/nodes.ts";
import { hasChanged, remember } from "./cache.ts";
import { parsePath } from "./config-path.ts";
import { type ConfigOptions, type Draft, type LoadedConfig, newDraft, type Origin } from "./draft.ts";
import { plain, type Tree, treeAt } from "./located.ts";
import { runPipeline } from "./pipeline.ts";
import { systemReads } from "./reads.ts";

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
  let wasThere = false;
  for (let attempt = 1; ; attempt++) {
    const draft = newDraft(options, options.reads ?? systemReads);
    const failure = await failureOf(draft);
    if (wasThere && !draft.exists) {
      throw unavailable(`${draft.file} vanished while it was being read`, { details: { file: draft.file } });
    }
    wasThere ||= draft.exists;
    if (draft.cached !== undefined) return draft.cached.draft;
    if (attempt < ATTEMPTS && isMoving(draft, failure)) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      continue;
    }
    if (failure !== undefined) throw failure.error;
    remember(draft);
    return draft;
  }
}

async function failureOf(draft: Draft): Promise<{ readonly error: unknown } | undefined> {
  try {
    await runPipeline(draft);
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** Whether something was being written meanwhile. */
function isMoving(draft: Draft, failure: { readonly error: unknown } | undefined): boolean {
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
