import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../util/json.ts";
import type { Bench } from "./kit.ts";

const CHILD = new URL(import.meta.url.endsWith(".ts") ? "./child.ts" : "./child.js", import.meta.url);

/** Append numbered messages, and report each acknowledged append. */
export interface WriteTask {
  readonly task: "write";
  readonly writer: string;
  /** Number of appends. */
  readonly count: number;
  /** Messages per append. */
  readonly batch: number;
}

/** Start a turn and stream numbered pieces until the process is killed. */
export interface TurnTask {
  readonly task: "turn";
  readonly turn: string;
  readonly note?: JsonObject;
}

/** Acquire the lease, then execute commands from standard input, one a line: `append`, `release`. */
export interface LeaseTask {
  readonly task: "lease";
  readonly writer: string;
  readonly ttlMs: number;
  readonly waitMs: number;
  /** How far the clock of the process is ahead. */
  readonly aheadMs?: number;
}

/** Repeat every operation that changes files in other ways than an append. */
export interface MixTask {
  readonly task: "mix";
  readonly round: number;
}

/** Move numbered jobs from one queue to another, and report each that it moved. */
export interface JobsTask {
  readonly task: "jobs";
  readonly mover: string;
  readonly count: number;
}

export type Task = WriteTask | TurnTask | LeaseTask | MixTask | JobsTask;

/** A job for a separate process. */
export type ChildJob<T extends Task = Task> = T & {
  readonly engine: string;
  readonly folder: string;
  readonly durability: "full" | "process";
  readonly key: string;
};

/** The conversation that all processes use. */
export const SHARED_KEY = "cli:shared";

/** A separate process, with its output so far. */
export class Child<T extends Task = Task> implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly job: ChildJob<T>;
  #said = "";
  #news: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(bench: Bench, task: T, durability: "full" | "process" = "process") {
    this.job = { ...task, engine: bench.url.href, folder: bench.folder, durability, key: SHARED_KEY };
    this.process = spawn(process.execPath, [fileURLToPath(CHILD), JSON.stringify(this.job)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.process.stdout?.on("data", (data) => {
      this.#said += data;
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    });
    this.process.stdout?.on("close", () => this.#news.resolve());
    // It may be dead by the time of the write.
    this.process.stdin?.on("error", () => {});
  }

  /** Its output lines that start with this word. An incomplete line does not count: the process died while writing it. */
  said(word: string): string[] {
    const lines = this.#said.split("\n").slice(0, -1);
    return lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  }

  /** Wait until it has printed this N times, or has ended. */
  async heard(word: string, times = 1): Promise<void> {
    while (this.said(word).length < times && this.process.stdout?.closed === false) await this.#news.promise;
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
