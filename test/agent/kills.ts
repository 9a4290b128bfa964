/** Kill an agent at random moments of a talk with tools, continue it, and compare the log with what happened. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LineProcess } from "../support/processes/line-process.ts";
import { random } from "../torture/content.ts";
import { wrongIn } from "./judge.ts";

export interface KillCommand {
  readonly target: string;
  readonly key: string;
  readonly traces: string;
  /** The number of the first question. */
  readonly from: number;
  readonly count: number;
  /** Complete what was left open before asking anything. */
  readonly resume: boolean;
}

export type KillReport =
  | { readonly type: "warm" }
  | { readonly type: "asked"; readonly question: string }
  | { readonly type: "answered"; readonly number: number; readonly reply: string; readonly isRight: boolean };

export interface KillOptions {
  readonly engine: "sqlite" | "jsonl";
  readonly kills: number;
  readonly seed: number;
  readonly progress?: (killed: number) => void;
}

export interface KillResult {
  kills: number;
  answered: number;
  toolRuns: number;
  readonly wrong: string[];
}

const KILLS_PER_STORE = 25;
/** Longer than the longest answer takes, so that every part of it is hit. */
const LIFE_MAX_MS = 150;
const WITHOUT_END = 1_000_000;

export async function killAgents(options: KillOptions): Promise<KillResult> {
  const result: KillResult = { kills: 0, answered: 0, toolRuns: 0, wrong: [] };
  const pool = new Pool();
  try {
    for (let round = 0; result.kills < options.kills; round++) {
      const kills = Math.min(KILLS_PER_STORE, options.kills - result.kills);
      await oneTalk(options, kills, random(options.seed + round * 7919), pool, result);
    }
  } finally {
    await pool.close();
  }
  return result;
}

async function oneTalk(
  { engine, progress }: KillOptions,
  kills: number,
  next: () => number,
  pool: Pool,
  result: KillResult,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "colloquy-kills-"));
  const traces = join(folder, "traces");
  writeFileSync(traces, "");
  const target = `${engine}:${join(folder, "store")}`;
  const heard = new Heard(result.wrong);
  // The last question that was answered is asked again: its answer must come from the log.
  const command = (count: number): KillCommand => {
    const from = Math.max(0, heard.answered - 1);
    return { target, key: "cli:default", traces, from, count, resume: next() < 0.3 };
  };
  try {
    for (let killed = 0; killed < kills; killed++) {
      const agent = await pool.take();
      agent.start(command(WITHOUT_END), heard);
      // Most of them work when they are killed; the others have not got that far.
      if (next() < 0.8) await Promise.race([agent.busy, agent.process.closed]);
      await sleep(next() * LIFE_MAX_MS);
      await agent.process.kill();
      result.kills++;
      progress?.(result.kills);
    }
    const last = await pool.take();
    last.start(command(3), heard);
    const { code } = await last.process.closed;
    if (code !== 0) result.wrong.push(`The last agent ended with ${code}`);
    const lines = readFileSync(traces, "utf8").trim().split("\n");
    result.wrong.push(...(await wrongIn(target, heard.answered, lines)));
    result.answered += heard.answered;
    result.toolRuns += lines.filter((line) => line.startsWith("done")).length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the agents of one talk have said. */
class Heard {
  readonly #wrong: string[];
  /** Questions 0 to this one, exclusive, were answered. */
  answered = 0;

  constructor(wrong: string[]) {
    this.#wrong = wrong;
  }

  hear(report: KillReport): void {
    if (report.type === "asked") {
      const number = Number(/\d+/.exec(report.question)?.[0]);
      if (number < this.answered) this.#wrong.push(`The model was asked again for ${report.question}`);
    }
    if (report.type !== "answered") return;
    if (!report.isRight) this.#wrong.push(`Question ${report.number} was answered with "${report.reply}"`);
    this.answered = Math.max(this.answered, report.number + 1);
  }
}

const CHILD = fileURLToPath(new URL("./kill-child.ts", import.meta.url));

class Agent {
  readonly process: LineProcess;
  readonly warm: Promise<void>;
  /** The model was asked, or an answer found. */
  readonly busy: Promise<void>;
  #heard: Heard | undefined;

  constructor() {
    const warm = Promise.withResolvers<void>();
    const busy = Promise.withResolvers<void>();
    this.warm = warm.promise;
    this.busy = busy.promise;
    this.process = new LineProcess(CHILD, [], {
      onLine: (line) => {
        const report: KillReport = JSON.parse(line);
        if (report.type === "warm") return warm.resolve();
        busy.resolve();
        this.#heard?.hear(report);
      },
    });
  }

  start(command: KillCommand, heard: Heard): void {
    this.#heard = heard;
    this.process.write(JSON.stringify(command));
  }
}

/** Agents that have started already: starting takes longer than a life. */
class Pool {
  readonly #agents = [new Agent(), new Agent()];

  async take(): Promise<Agent> {
    this.#agents.push(new Agent());
    const agent = this.#agents.shift() as Agent;
    await agent.warm;
    return agent;
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map(({ process }) => process.kill()));
  }
}
