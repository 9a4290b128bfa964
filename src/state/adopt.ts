/** The folder of an existing OpenClaw. It is read and never written. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { checkObject, checkString } from "../util/checked-arguments.ts";
import { absolute, type Environment } from "./folder.ts";

const FOLDERS = [".openclaw", ".clawdbot", ".moldbot", ".moltbot"];
const CONFIG_NAMES = ["openclaw.json", "clawdbot.json", "moldbot.json", "moltbot.json"];

export interface Adopted {
  readonly folder: string;
  /** `undefined` when the folder has no config. */
  readonly config: string | undefined;
}

/**
 * The folder to adopt: `OPENCLAW_STATE_DIR` where that is set, otherwise the
 * first existing folder of the names that OpenClaw has had.
 */
export function findAdoptable(env: Environment, home: string): Adopted | undefined {
  checkObject(env, "env");
  checkString(home, "home");
  const named = env.OPENCLAW_STATE_DIR;
  const folders = named ? [absolute(named, home)] : FOLDERS.map((name) => join(home, name));
  const there = folders.filter(isFolder).map((folder) => ({ folder, config: configIn(folder) }));
  return there.find(({ config }) => config !== undefined) ?? there[0];
}

/** The config of OpenClaw that is read where a state folder has none. */
export function adoptedConfig(stateDir: string, env: Environment, home: string): string | undefined {
  return configIn(stateDir) ?? findAdoptable(env, home)?.config;
}

/** OpenClaw's config in a folder, under any name it has had. */
function configIn(folder: string): string | undefined {
  return CONFIG_NAMES.map((name) => join(folder, name)).find(
    (file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true,
  );
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
