/**
 * A server as a child process that reads and writes lines of JSON.
 *
 * The transport of the SDK leaves two things open that matter here. It starts the server in our own process group, so
 * that Ctrl-C, which is meant for the answer, would end the server too; and it ends the process that it started, not
 * those that this one has started, such as the server behind `npx`. Here each server has a process group, which is
 * ended as a whole, also when this process exits.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { ColloquyError } from "../../../errors.ts";
import { bytesText } from "../../../util/bytes-text.ts";
import { LineBuffer } from "./line-buffer.ts";
import type { ProcessSettings } from "./settings.ts";

/** What programs need to run. Everything else, such as the keys of other services, is not theirs. */
const INHERITED = [
  "HOME",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "USER",
  "LANG",
  "TMPDIR",
  "SYSTEMROOT",
  "APPDATA",
  "TEMP",
];
const LINE_BYTES_MAX = 16_000_000;
const STDERR_CHARS_MAX = 2000;
/** Between closing its input, SIGTERM and SIGKILL. */
const PATIENCE_MS = 1000;

const hasGroups = process.platform !== "win32";
const running = new Set<number>();

/** A process that exits without closing its servers takes them along. */
function endAll(): void {
  for (const pid of running) signalGroup(pid, "SIGKILL");
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(hasGroups ? -pid : pid, signal);
  } catch {
    // It has ended.
  }
}

export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #settings: ProcessSettings;
  readonly #parse: (line: string) => JSONRPCMessage;
  readonly #lines = new LineBuffer(LINE_BYTES_MAX);
  #child: ChildProcess | undefined;
  #closing: Promise<void> | undefined;
  #stderr = "";
  #end: string | undefined;

  constructor(settings: ProcessSettings, parse: (line: string) => JSONRPCMessage) {
    this.#settings = settings;
    this.#parse = parse;
  }

  /** How it ended, and what it said last; `undefined` while it runs. */
  get end(): string | undefined {
    const said = this.#stderr.trim();
    return this.#end === undefined || said === "" ? this.#end : `${this.#end}: ${said}`;
  }

  async start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#settings;
    const child = spawn(command, args, {
      cwd,
      env: { ...inherited(), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: hasGroups,
      windowsHide: true,
    });
    this.#child = child;
    child.stdin.on("error", () => {});
    child.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS_MAX);
    });
    // Its children may have outlived it. As long as they have its output, it is not closed.
    child.once("exit", () => signalGroup(child.pid as number, "SIGKILL"));
    child.once("close", (code, signal) => this.#ended(child.pid, signal ?? `code ${code}`));
    try {
      await once(child, "spawn");
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      throw new ColloquyError("SERVICE_UNAVAILABLE", `${command} cannot be started (${code})`);
    }
    if (running.size === 0) process.once("exit", endAll);
    running.add(child.pid as number);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (input === undefined || input === null || this.#end !== undefined) {
      return Promise.reject(new ColloquyError("SERVICE_UNAVAILABLE", "The server is not running"));
    }
    // Not waiting for the server to read: one that never does would hang us, and the request has a time limit.
    input.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#endsSoon(child)) break;
      signalGroup(child.pid, signal);
    }
    signalGroup(child.pid, "SIGKILL");
    await this.#endsSoon(child);
  }

  async #endsSoon(child: ChildProcess): Promise<boolean> {
    if (this.#end !== undefined) return true;
    const stop = new AbortController();
    const ended = once(child, "close", stop).then(() => true);
    const late = sleep(PATIENCE_MS, false, stop);
    try {
      return await Promise.race([ended, late]);
    } finally {
      stop.abort();
      await Promise.allSettled([ended, late]);
    }
  }

  #receive(chunk: Buffer): void {
    try {
      for (const line of this.#lines.add(chunk)) this.#dispatch(line);
    } catch {
      this.#child?.stdout?.destroy();
      this.#end ??= `It sent more than ${bytesText(LINE_BYTES_MAX)} at once`;
      this.onerror?.(new Error(this.#end));
      void this.close();
      this.onclose?.();
    }
  }

  #dispatch(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = this.#parse(line);
    } catch {
      // Servers print other things too.
      return;
    }
    this.onmessage?.(message);
  }

  #ended(pid: number | undefined, how: string): void {
    const isFirst = this.#end === undefined;
    this.#end ??= `It ended with ${how}`;
    if (pid !== undefined) running.delete(pid);
    if (running.size === 0) process.off("exit", endAll);
    if (isFirst) this.onclose?.();
  }
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
