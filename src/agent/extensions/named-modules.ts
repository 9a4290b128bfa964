/** The modules that a config names. No other file is ever loaded. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { invalid } from "../../errors.ts";
import { isInside } from "../../state/config/files/confined.ts";
import type { JsonObject } from "../../util/json.ts";
import { filledIn, listIn, objectIn } from "../../util/values.ts";

export interface NamedModule {
  readonly name: string;
  /** As the config has it; otherwise the module has the name of the extension. */
  readonly module: string | undefined;
  readonly config: JsonObject;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Those that are enabled, each one explicitly. */
export function namedModules(config: JsonObject): NamedModule[] {
  const plugins = objectIn(config.plugins) ?? {};
  if (plugins.enabled === false) return [];
  return Object.entries(objectIn(plugins.entries) ?? {}).flatMap(([name, value]) => {
    const entry = objectIn(value) ?? {};
    const isAllowed = plugins.allow === undefined || listIn(plugins.allow).includes(name);
    if (entry.enabled !== true || !isAllowed || listIn(plugins.deny).includes(name)) return [];
    return [{ name, module: filledIn(entry.module), config: objectIn(entry.config) ?? {} }];
  });
}

/** The file of a module, which must be in the folder of extensions: links are resolved before that is checked. */
export function moduleFile({ name, module }: NamedModule, folder: string): string {
  if (!NAME.test(name)) throw invalid("its name must be up to 64 letters, digits, - and _", "name");
  const candidates = module === undefined ? [`${name}.js`, `${name}.mjs`, join(name, "index.js")] : [module];
  for (const candidate of candidates) {
    const real = realPath(join(folder, candidate));
    if (real === undefined) continue;
    if (isInside(realPath(folder) ?? folder, real)) return real;
    throw invalid(`${candidate} is outside the folder of extensions`, "module");
  }
  throw invalid(`${candidates.join(" or ")} does not exist in ${folder}`, "module");
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
