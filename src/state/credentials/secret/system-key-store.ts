/**
 * The key store of the operating system, where there is one that a program
 * can use without being compiled for it: `secret-tool` (Secret Service, on
 * Linux desktops) and `security` (Keychain, on macOS).
 *
 * The key goes in by standard input and comes out by standard output; it is
 * never on a command line.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../../folder.ts";
import { type ProgramResult, runProgram } from "./run-program.ts";

export interface SystemKeyStore {
  /** As it stands in the file that says where a key is. */
  readonly name: string;
  save(id: string, hex: string): Promise<ProgramResult>;
  load(id: string): Promise<ProgramResult>;
}

/** A store that asks a person who is not there must not hold up an agent. */
const TIMEOUT_MS = 5_000;
const SERVICE = "colloquy";

type Make = (program: string, env: Environment) => SystemKeyStore;

const secretTool: Make = (program, env) => ({
  name: "secret-tool",
  save: (id, hex) =>
    runProgram([program, "store", `--label=Colloquy ${id}`, "service", SERVICE, "key", id], {
      env,
      timeoutMs: TIMEOUT_MS,
      input: hex,
    }),
  load: (id) =>
    runProgram([program, "lookup", "service", SERVICE, "key", id], { env, timeoutMs: TIMEOUT_MS }),
});

const security: Make = (program, env) => ({
  name: "security",
  // In its interactive mode the command, with the key in it, is read from standard input. Hex needs no quotes.
  save: (id, hex) =>
    runProgram([program, "-i"], {
      env,
      timeoutMs: TIMEOUT_MS,
      input: `add-generic-password -s ${SERVICE} -a ${id} -w ${hex}\n`,
    }),
  load: (id) =>
    runProgram([program, "find-generic-password", "-s", SERVICE, "-a", id, "-w"], {
      env,
      timeoutMs: TIMEOUT_MS,
    }),
});

/** The store of this machine and session, or `undefined`. `COLLOQUY_KEY_STORE=file` does without. */
export function systemKeyStore(
  env: Environment,
  platform: string = process.platform,
): SystemKeyStore | undefined {
  if (env.COLLOQUY_KEY_STORE === "file") return undefined;
  if (platform === "darwin") return found("security", env, security);
  // Without a session there is no service to ask, and asking would start one that forgets.
  if (platform === "linux" && env.DBUS_SESSION_BUS_ADDRESS) return found("secret-tool", env, secretTool);
  return undefined;
}

function found(name: string, env: Environment, make: Make): SystemKeyStore | undefined {
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const program = join(folder, name);
    try {
      accessSync(program, constants.X_OK);
      return make(program, env);
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}
