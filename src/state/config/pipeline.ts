/**
 * How a config comes about. The order is that of the list: variables are
 * known before they are put in, patches and the command line come before the
 * check of what they changed, and defaults fill what is left.
 *
 * The code of a step is loaded when there is something for it to do: most
 * configs are small, and a command that reads one setting should be quick.
 */
import { useCache } from "./cache.ts";
import { type Draft, dotEnvOf, patchFolderOf } from "./config-build.ts";
import { someTree, treeAt } from "./located.ts";
import { applyDefaults } from "./steps/apply-defaults.ts";
import { findFile } from "./steps/find-file.ts";
import { parseFile } from "./steps/parse-file.ts";
import { resolvePaths } from "./steps/resolve-paths.ts";
import { validate } from "./steps/validate.ts";

type Run = (draft: Draft) => void | Promise<void>;

export interface Step {
  readonly name: string;
  readonly run: Run;
}

export const PIPELINE: readonly Step[] = [
  { name: "path", run: findFile },
  { name: "cache", run: useCache },
  { name: "parse", run: parseFile },
  {
    name: "includes",
    run: when(hasIncludes, async (draft) => {
      const { resolveIncludes } = await import("./steps/resolve-includes.ts");
      resolveIncludes(draft);
    }),
  },
  {
    name: ".env",
    run: when(hasDotEnv, async (draft) => {
      const { loadDotEnv } = await import("./steps/load-dot-env.ts");
      loadDotEnv(draft);
    }),
  },
  {
    name: "env.vars",
    run: when(has("env", "vars"), async (draft) => {
      const { applyEnvVars } = await import("./steps/apply-env-vars.ts");
      applyEnvVars(draft);
    }),
  },
  {
    name: "login shell",
    run: when(has("env", "shellEnv"), async (draft) => {
      const { askLoginShell } = await import("./steps/ask-login-shell.ts");
      await askLoginShell(draft);
    }),
  },
  {
    name: "variables",
    run: when(hasVariables, async (draft) => {
      const { replaceVariables } = await import("./steps/replace-variables.ts");
      replaceVariables(draft);
    }),
  },
  {
    name: "merge patches",
    run: when(hasPatches, async (draft) => {
      const { applyPatches } = await import("./steps/apply-patches.ts");
      applyPatches(draft);
    }),
  },
  {
    name: "overrides",
    run: when(hasOverrides, async (draft) => {
      const { applyOverrides } = await import("./steps/apply-overrides.ts");
      applyOverrides(draft);
    }),
  },
  { name: "validation", run: validate },
  { name: "defaults", run: applyDefaults },
  { name: "paths", run: resolvePaths },
];

/** Send a draft through all steps, or through the first two when it is found in the cache. */
export async function runPipeline(draft: Draft): Promise<void> {
  for (const { run } of PIPELINE) {
    const running = run(draft);
    if (running !== undefined) await running;
    if (draft.cached !== undefined) return;
  }
}

function when(condition: (draft: Draft) => boolean, run: Run): Run {
  return (draft) => (condition(draft) ? run(draft) : undefined);
}

function has(...path: string[]): (draft: Draft) => boolean {
  return ({ tree }) => treeAt(tree, path) !== undefined;
}

function hasIncludes({ tree }: Draft): boolean {
  return someTree(tree, (part) => part.kind === "object" && part.members.has("$include"));
}

function hasVariables({ tree }: Draft): boolean {
  return someTree(tree, (part) => {
    return part.kind === "value" && typeof part.value === "string" && part.value.includes(`\${`);
  });
}

function hasDotEnv(draft: Draft): boolean {
  return draft.stamps.get(dotEnvOf(draft)) !== "";
}

function hasPatches(draft: Draft): boolean {
  return draft.stamps.get(patchFolderOf(draft)) !== "";
}

function hasOverrides({ options }: Draft): boolean {
  return (options.overrides ?? []).length > 0;
}
