/** The state folder: where it is, and the files in it. */

import { join, resolve } from "node:path";
import { invalid } from "../errors.ts";
import { checkObject, checkString } from "../util/checked-arguments.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface StateDirOptions {
  /** `--state-dir` */
  readonly flag?: string | undefined;
  /** `--profile`: a second state folder beside the default one. */
  readonly profile?: string | undefined;
  readonly env: Environment;
  /** The home folder. */
  readonly home: string;
}

export const CONFIG_NAME = "colloquy.json";
/** The folder of merge patches beside it. */
export const PATCHES_NAME = "config.d";
const FOLDER_NAME = ".colloquy";
const PROFILE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const DEFAULT_PROFILE = "default";

/** `--state-dir`, `--profile NAME` (`~/.colloquy-NAME`), `COLLOQUY_STATE_DIR`, or `~/.colloquy`. */
export function resolveStateDir(options: StateDirOptions): string {
  checkObject(options, "options");
  const { flag, profile, env, home } = options;
  checkObject(env, "env");
  checkString(home, "home");
  for (const name of [flag, profile]) if (name !== undefined) checkString(name, "options");
  if (flag !== undefined && profile !== undefined) {
    throw invalid("Use either --state-dir or --profile: both choose the state folder", "profile");
  }
  if (flag !== undefined) {
    if (flag.trim() === "") throw invalid("--state-dir must name a folder", "state-dir");
    return absolute(flag, home);
  }
  if (profile !== undefined) return join(home, profileFolder(profile));
  const fromEnvironment = env.COLLOQUY_STATE_DIR;
  return fromEnvironment ? absolute(fromEnvironment, home) : join(home, FOLDER_NAME);
}

function profileFolder(profile: string): string {
  if (!PROFILE.test(profile)) {
    throw invalid("--profile must be up to 64 letters, digits, - and _", "profile");
  }
  return profile === DEFAULT_PROFILE ? FOLDER_NAME : `${FOLDER_NAME}-${profile}`;
}

/** Make a path of the user absolute. */
export function absolute(path: string, home: string, from: string = process.cwd()): string {
  if (path.includes("\0")) throw invalid("A path cannot contain a NUL character", "path");
  if (path === "~") return resolve(home);
  // Elsewhere a backslash is part of a name.
  if (path.startsWith("~/") || (process.platform === "win32" && path.startsWith("~\\"))) {
    return join(home, path.slice(2));
  }
  return resolve(from, path);
}

/** The files of one agent. */
export interface AgentLayout {
  readonly root: string;
  readonly sessions: string;
  readonly sessionIndex: string;
  readonly auth: string;
  readonly models: string;
  readonly skills: string;
}

export interface StateLayout {
  readonly root: string;
  readonly config: string;
  /** Merge patches, applied in the order of their names. */
  readonly patches: string;
  readonly env: string;
  readonly lock: string;
  readonly credentials: string;
  readonly extensions: string;
  readonly agents: string;
  agent(id: string): AgentLayout;
}

export function stateLayout(root: string): StateLayout {
  checkString(root, "root");
  const agents = join(root, "agents");
  return {
    root,
    config: join(root, CONFIG_NAME),
    patches: join(root, "config.d"),
    env: join(root, ".env"),
    lock: join(root, "colloquy.lock"),
    credentials: join(root, "credentials"),
    extensions: join(root, "extensions"),
    agents,
    agent: (id) => agentLayout(join(agents, checkFileName(id, "agent"))),
  };
}

function agentLayout(root: string): AgentLayout {
  const sessions = join(root, "sessions");
  return {
    root,
    sessions,
    sessionIndex: join(sessions, "sessions.json"),
    auth: join(root, "auth"),
    models: join(root, "models.json"),
    skills: join(root, "skills"),
  };
}

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** The only way an id becomes part of a path. */
function checkFileName(id: string, field: string): string {
  if (!FILE_NAME.test(id)) {
    throw invalid(
      `The id of an ${field} must be up to 128 letters, digits, - and _, and start with a letter or digit`,
      field,
    );
  }
  return id;
}
