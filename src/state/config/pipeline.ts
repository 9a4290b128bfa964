/**
 * How a config is built, in this order: variables are known before they are
 * replaced, patches and overrides are applied before validation, and defaults
 * fill the rest.
 */
import { useCache } from "./cache.ts";
import { type ConfigBuild, dotEnvOf, patchFolderOf } from "./config-build.ts";
import { someTree, treeAt } from "./located.ts";
import { applyDefaults } from "./steps/apply-defaults.ts";
import { applyEnvVars } from "./steps/apply-env-vars.ts";
import { applyOverrides } from "./steps/apply-overrides.ts";
import { applyPatches } from "./steps/apply-patches.ts";
import { askLoginShell } from "./steps/ask-login-shell.ts";
import { findFile } from "./steps/find-file.ts";
import { loadDotEnv } from "./steps/load-dot-env.ts";
import { parseFile } from "./steps/parse-file.ts";
import { replaceVariables } from "./steps/replace-variables.ts";
import { resolveIncludes } from "./steps/resolve-includes.ts";
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
  { name: "includes", run: when(hasIncludes, resolveIncludes) },
  { name: ".env", run: when(hasDotEnv, loadDotEnv) },
  { name: "env.vars", run: when(has("env", "vars"), applyEnvVars) },
  { name: "login shell", run: when(has("env", "shellEnv"), askLoginShell) },
  { name: "variables", run: when(hasVariables, replaceVariables) },
  { name: "merge patches", run: when(hasPatches, applyPatches) },
  { name: "overrides", run: when(hasOverrides, applyOverrides) },
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
