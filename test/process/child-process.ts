import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MessageInput } from "../../src/index.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import type { Calls } from "./child.ts";

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));

export const ENGINES = ["sqlite", "jsonl"] as const;
export const isRoot: boolean = process.getuid?.() === 0;

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly holder?: string };
}

type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Failure };

/** The other end of `child.ts`. */
export class Child {
  readonly #process: LineProcess;
  readonly #replies = new Map<number, (reply: Reply<unknown>) => void>();
  #stopped: PromiseWithResolvers<void> = Promise.withResolvers();
  #calls = 0;

  /** `through`: a command, with its arguments, that starts what follows them. */
  constructor(options: { readonly uid?: number; readonly through?: readonly string[] } = {}) {
    this.#process = new LineProcess(CHILD, [], { ...options, onLine: (line) => this.#read(line) });
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Call and get the result or the error, as data. */
  async try<N extends keyof Calls>(
    call: N,
    ...values: Parameters<Calls[N]>
  ): Promise<Reply<Awaited<ReturnType<Calls[N]>>>> {
    const id = this.#calls++;
    const { promise, resolve } = Promise.withResolvers<Reply<unknown>>();
    this.#replies.set(id, resolve);
    this.#process.write(JSON.stringify({ id, call, values }));
    const died = this.#process.closed.then(() => {
      throw new Error(`The child died during ${call}`);
    });
    return (await Promise.race([promise, died])) as Reply<Awaited<ReturnType<Calls[N]>>>;
  }

  /** Call and get the result; throws when it failed. */
  async do<N extends keyof Calls>(
    call: N,
    ...values: Parameters<Calls[N]>
  ): Promise<Awaited<ReturnType<Calls[N]>>> {
    const reply = await this.try(call, ...values);
    if (!reply.ok) throw new Error(`${call}: ${reply.error.code}: ${reply.error.message}`);
    return reply.value;
  }

  /** Resolves when the child has stopped in the middle of a write. */
  async stopped(): Promise<void> {
    await this.#stopped.promise;
    this.#stopped = Promise.withResolvers();
  }

  signal(name: "SIGCONT" | "SIGSTOP"): void {
    this.#process.signal(name);
  }

  /** Wake it up until it answers: it may have said that it stops a moment before it did. */
  async wake<T>(answer: Promise<T>): Promise<T> {
    using _timer = setInterval(() => this.signal("SIGCONT"), 10);
    return await answer;
  }

  async kill(): Promise<void> {
    await this.#process.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #read(line: string): void {
    const reply = JSON.parse(line);
    if (reply.stopped) this.#stopped.resolve();
    else this.#replies.get(reply.id)?.(reply);
  }
}

/** A separate folder for each test. */
export class Folder {
  readonly path: string = mkdtempSync(join(tmpdir(), "colloquy-process-"));

  target(engine: (typeof ENGINES)[number]): string {
    return `${engine}:${join(this.path, "store")}`;
  }

  /** Children that run as another user must be able to get here. */
  share(): void {
    chmodSync(this.path, 0o755);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function user(content: string): MessageInput {
  return { role: "user", content };
}

/** Whether a command is installed. */
export function has(command: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
}

/** Whether a child can run as another user: that user must be able to read this checkout. */
export function canRunAs(uid: number): boolean {
  const script = `require("node:fs").accessSync(${JSON.stringify(CHILD)})`;
  return spawnSync(process.execPath, ["-e", script], { uid }).status === 0;
}

/** Whether a child can have mounts that no other process sees. */
export function canMount(): boolean {
  const [command = "", ...values] = mounting(["-t", "tmpfs", "none", tmpdir()]);
  return isRoot && spawnSync(command, [...values, "true"]).status === 0;
}

/** For `Child`: with these mounts, given as the arguments of `mount`, in the order given. */
export function mounting(...mounts: readonly (readonly string[])[]): string[] {
  const script = `${mounts.map((values) => `mount ${values.join(" ")} && `).join("")}exec "$@"`;
  return ["unshare", "-m", "sh", "-c", script, "sh"];
}

/** For `skipIf`: says what is skipped and why, because a silent skip looks like a pass. */
export function lacks(condition: boolean, what: string): boolean {
  if (!condition) console.warn(`skipped: ${what}`);
  return !condition;
}

/** Run a command that must succeed. */
export function must(command: string, ...values: string[]): void {
  const { status, stderr } = spawnSync(command, values, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${values.join(" ")}: ${stderr}`);
}
