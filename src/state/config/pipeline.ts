/**
 * How a config is built, in this order: variables are known before they are
 * replaced, patches and overrides are applied before validation, and defaults
 * fill the rest.
 *
 * The code of a step is loaded when the step has something to do: most configs
 * are small, and a command that reads one setting should be fast.
 */
import { useCache } from "./cache.ts";
import { type ConfigBuild, dotEnvOf, patchFolderOf } from "./config-build.ts";
import { someTree, treeAt } from "./located.ts";
import { applyDefaults } from "./steps/apply-defaults.ts";
import { findFile } from "./steps/find-file.ts";
import { parseFile } from "./steps/parse-file.ts";
import { resolvePaths } from "./steps/resolve-paths.ts";
import { validate } from "./steps/validate.ts";

type Run = (build: ConfigBuild) => void | Promise<void>;

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
    run: when(hasIncludes, async (build) => {
      const { resolveIncludes } = await import("./steps/resolve-includes.ts");
      resolveIncludes(build);
    }),
  },
  {
    name: ".env",
    run: when(hasDotEnv, async (build) => {
      const { loadDotEnv } = await import("./steps/load-dot-env.ts");
      loadDotEnv(build);
    }),
  },
  {
    name: "env.vars",
    run: when(has("env", "vars"), async (build) => {
      const { applyEnvVars } = await import("./steps/apply-env-vars.ts");
      applyEnvVars(build);
    }),
  },
  {
    name: "login shell",
    run: when(has("env", "shellEnv"), async (build) => {
      const { askLoginShell } = await import("./steps/ask-login-shell.ts");
      await askLoginShell(build);
    }),
  },
  {
    name: "variables",
    run: when(hasVariables, async (build) => {
      const { replaceVariables } = await import("./steps/replace-variables.ts");
      replaceVariables(build);
    }),
  },
  {
    name: "merge patches",
    run: when(hasPatches, async (build) => {
      const { applyPatches } = await import("./steps/apply-patches.ts");
      applyPatches(build);
    }),
  },
  {
    name: "overrides",
    run: when(hasOverrides, async (build) => {
      const { applyOverrides } = await import("./steps/apply-overrides.ts");
      applyOverrides(build);
    }),
  },
  { name: "validation", run: validate },
  { name: "defaults", run: applyDefaults },
  { name: "paths", run: resolvePaths },
];

/** Run all steps, or only the first two when the cache has the config. */
export async function runPipeline(build: ConfigBuild): Promise<void> {
  for (const { run } of PIPELINE) {
    const running = run(build);
    if (running !== undefined) await running;
    if (build.cached !== undefined) return;
  }
}

function when(condition: (build: ConfigBuild) => boolean, run: Run): Run {
  return (build) => (condition(build) ? run(build) : undefined);
}

function has(...path: string[]): (build: ConfigBuild) => boolean {
  return ({ tree }) => treeAt(tree, path) !== undefined;
}

function hasIncludes({ tree }: ConfigBuild): boolean {
  return someTree(tree, (part) => part.kind === "object" && part.members.has("$include"));
}

function hasVariables({ tree }: ConfigBuild): boolean {
  return someTree(tree, (part) => {
    return part.kind === "value" && typeof part.value === "string" && part.value.includes(`\${`);
  });
}

function hasDotEnv(build: ConfigBuild): boolean {
  return build.stamps.get(dotEnvOf(build)) !== "";
}

function hasPatches(build: ConfigBuild): boolean {
  return build.stamps.get(patchFolderOf(build)) !== "";
}

function hasOverrides({ options }: ConfigBuild): boolean {
  return (options.overrides ?? []).length > 0;
}
