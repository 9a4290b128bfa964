import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Bench } from "./kit.ts";

const CHILD = new URL(import.meta.url.endsWith(".ts") ? "./child.ts" : "./child.js", import.meta.url);

/** Append numbered messages, and say so for each append that was acknowledged. */
export interface WriteTask {
  readonly task: "write";
  readonly writer: string;
  /** So many appends … */
  readonly count: number;
  /** Messages per append. */
  readonly batch: number;
}

/** Start a turn and stream numbered pieces until the process is killed. */
export interface TurnTask {
  readonly task: "turn";
  readonly turn: string;
}

/** Take the lease, then do what comes in by lines: `append`, `release`. */
export interface LeaseTask {
  readonly task: "lease";
  readonly writer: string;
  readonly ttlMs: number;
  readonly waitMs: number;
}

/** Everything that changes files in other ways than by an append, again and again. */
export interface MixTask {
  readonly task: "mix";
  readonly round: number;
}

export type Task = WriteTask | TurnTask | LeaseTask | MixTask;

/** A job for a separate process. */
export type ChildJob<T extends Task = Task> = T & {
  readonly engine: string;
  readonly folder: string;
  readonly durability: "full" | "process";
  readonly key: string;
};

/** The conversation that all of them work on. */
export const SHARED_KEY = "cli:shared";

/** A process of its own, with what it has said so far. */
export class Child<T extends Task = Task> implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly job: ChildJob<T>;
  #said = "";

  constructor(bench: Bench, task: T, durability: "full" | "process" = "process") {
    this.job = { ...task, engine: bench.url.href, folder: bench.folder, durability, key: SHARED_KEY };
    this.process = spawn(process.execPath, [fileURLToPath(CHILD), JSON.stringify(this.job)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.process.stdout?.on("data", (data) => {
      this.#said += data;
    });
    // It may be dead by the time of the write.
    this.process.stdin?.on("error", () => {});
  }

  /** What it said on lines that begin with this word. Half a line was not said: the process died writing it. */
  said(word: string): string[] {
    const lines = this.#said.split("\n").slice(0, -1);
    return lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  }

  /** Wait until it has said this so often, or has ended. */
  async heard(word: string, times = 1): Promise<void> {
    while (this.said(word).length < times && this.isRunning) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  tell(...lines: readonly string[]): void {
    this.process.stdin?.write(lines.map((line) => `${line}\n`).join(""));
  }

  async ended(): Promise<void> {
    this.process.stdin?.end();
    if (this.process.stdout?.closed !== true) await once(this.process, "close");
  }

  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) await this.kill();
  }
}
