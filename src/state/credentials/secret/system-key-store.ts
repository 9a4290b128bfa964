/**
 * The key store of the operating system, where one can be used without native
 * code: `secret-tool` (Secret Service, on
 * Linux desktops) and `security` (Keychain, on macOS).
 *
 * Keys are passed through standard input and output, never on a command line.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../../folder.ts";
import { type ProgramResult, runProgram } from "./run-program.ts";

export interface SystemKeyStore {
  /** The name that the key file records. */
  readonly name: string;
  save(id: string, hex: string): Promise<ProgramResult>;
  load(id: string): Promise<ProgramResult>;
}

/** A store that prompts an absent user must not block an agent. */
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

/** The store of this machine and session, or `undefined`. `COLLOQUY_KEY_STORE=file` disables it. */
export function systemKeyStore(
  env: Environment,
  platform: string = process.platform,
): SystemKeyStore | undefined {
  if (env.COLLOQUY_KEY_STORE === "file") return undefined;
  if (platform === "darwin") return found("security", env, security);
  // Without a session there is no service, and a call would start one that forgets.
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
