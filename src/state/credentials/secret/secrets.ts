/** Resolves references to secrets, and seals secrets. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { openStoreOf } from "../../../disk/open-stores.ts";
import type { Random } from "../../../util/uuid.ts";
import type { Environment } from "../../folder.ts";
import type { Sealed, SecretRef, SourceType } from "../types.ts";
import type { KeyRing } from "./key-ring.ts";
import { runProgram } from "./run-program.ts";
import { seal, unseal } from "./sealed.ts";

/** Reasons name the source and never quote its content. */
export type Secret =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly reason: string };

const COMMAND_TIMEOUT_MS = 10_000;
const BYTES_MAX = 64 * 1024;

export class Secrets {
  readonly #keys: KeyRing;
  readonly #env: Environment;
  readonly #random: Random;
  readonly #agentId: string | undefined;

  /** Without an agent, values of all agents can be decrypted. */
  constructor(keys: KeyRing, env: Environment, random: Random, agentId?: string) {
    this.#keys = keys;
    this.#env = env;
    this.#random = random;
    this.#agentId = agentId;
  }

  /** `bound` is the place of a sealed value: the profile and the property. */
  async get(ref: SecretRef, bound: string): Promise<Secret> {
    if (typeof ref === "string") return trimmed(ref, "the profile");
    if ("env" in ref) return this.#variable(ref.env);
    if ("file" in ref) return readSecretFile(ref.file);
    if ("command" in ref) return this.#command(ref.command);
    return this.#opened(ref.sealed, bound);
  }

  async seal(value: string, bound: string): Promise<SecretRef> {
    return { sealed: seal(value, await this.#keys.current(), bound, this.#random, this.#agentId) };
  }

  async #opened(sealed: Sealed, bound: string): Promise<Secret> {
    const { agent = this.#agentId } = sealed;
    if (this.#agentId !== undefined && agent !== this.#agentId)
      return { ok: false, reason: "it was sealed for another agent; add the secret again" };
    const found = await this.#keys.byId(sealed.key);
    if ("reason" in found) return { ok: false, reason: `it is sealed, and ${found.reason}` };
    const value = unseal(sealed, found.key, bound);
    if (value === undefined)
      return { ok: false, reason: "its sealed value is damaged; add the secret again" };
    return { ok: true, value };
  }

  #variable(name: string): Secret {
    // A variable may have the name of an inherited property.
    const value = Object.hasOwn(this.#env, name) ? this.#env[name] : undefined;
    if (value === undefined) return { ok: false, reason: `the variable ${name} is not set` };
    return trimmed(value, `the variable ${name}`);
  }

  async #command(argv: readonly string[]): Promise<Secret> {
    const result = await runProgram(argv, { env: this.#env, timeoutMs: COMMAND_TIMEOUT_MS });
    const name = `the command ${basename(argv[0] ?? "")}`;
    return result.ok ? trimmed(result.output, name) : { ok: false, reason: `${name} ${result.reason}` };
  }
}

function trimmed(text: string, what: string): Secret {
  const value = text.trim();
  return value === "" ? { ok: false, reason: `${what} is empty` } : { ok: true, value };
}

/** A file that only we can read. */
function readSecretFile(path: string): Secret {
  if (openStoreOf(path) !== undefined)
    return { ok: false, reason: `the file ${path} belongs to an open store` };
  let file: number;
  try {
    // Non-blocking: opening a named pipe would otherwise wait forever.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "does not exist" : `cannot be opened (${code})`;
    return { ok: false, reason: `the file ${path} ${why}` };
  }
  try {
    const reason = refusal(file, path);
    if (reason !== undefined) return { ok: false, reason };
    const bytes = Buffer.alloc(BYTES_MAX + 1);
    const count = readSync(file, bytes, 0, bytes.length, 0);
    if (count > BYTES_MAX) return { ok: false, reason: `the file ${path} has more than ${BYTES_MAX} bytes` };
    return trimmed(bytes.toString("utf8", 0, count), `the file ${path}`);
  } finally {
    closeSync(file);
  }
}

/** Checked on the open file, so that it cannot be replaced in between. */
function refusal(file: number, path: string): string | undefined {
  const stats = fstatSync(file);
  if (!stats.isFile()) return `${path} is not a file`;
  if (process.platform === "win32") return undefined;
  if ((stats.mode & 0o077) !== 0) return `the file ${path} is open to others: run chmod 600`;
  const owner = process.getuid?.();
  if (owner !== undefined && stats.uid !== owner) return `the file ${path} belongs to another user`;
  return undefined;
}

/** A source that is safe to show. Of a command only the program, because its arguments may be secret. */
export function describeSource(ref: SecretRef | undefined): { type: SourceType; name: string | null } {
  if (ref === undefined) return { type: "none", name: null };
  if (typeof ref === "string") return { type: "plain", name: null };
  if ("env" in ref) return { type: "env", name: ref.env };
  if ("file" in ref) return { type: "file", name: ref.file };
  if ("command" in ref) return { type: "command", name: basename(ref.command[0] ?? "") };
  return { type: "sealed", name: null };
}
