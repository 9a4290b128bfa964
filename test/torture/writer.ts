/**
 * A process that writes to a store until it is killed.
 *
 * It loads everything, says that it is ready and waits for its command, so
 * that a parent can keep some of them warm. Each step is reported when it
 * begins and, after the store has resolved it, as acknowledged. Reports are
 * written synchronously: what was reported is in the pipe when a kill comes.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { type Conversation, openStore, type Store } from "../../src/index.ts";
import "../../src/engine/jsonl/jsonl-engine.ts";
import "../../src/engine/sqlite/sqlite-engine.ts";
import {
  type Command,
  messagesOf,
  operationOf,
  piecesOf,
  type Report,
  random,
  type Step,
  sharedKey,
  sideOf,
  titleOf,
} from "./content.ts";

const OWN = "cli:own-";
const TURNS = "cli:turns-";
/** Eight processes on a busy machine may wait for long. */
const LOCK_WAIT_MS = 120_000;

function isOwn(key: string): boolean {
  return key.startsWith(OWN);
}

function report(value: Report): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

class Writer {
  readonly #store: Store;
  readonly #command: Command;
  readonly #random: () => number;
  /** Steps of this process that are known to be done, for repeating some of them. */
  readonly #done: Step[] = [];
  /** A private conversation goes through create, append, title, delete; then comes the next. */
  #own: { readonly key: string; phase: number } | undefined;
  #steps = 0;
  #messages = 0;
  #appends = 0;

  constructor(store: Store, command: Command) {
    this.#store = store;
    this.#command = command;
    this.#random = random(command.seed);
  }

  async run(): Promise<void> {
    for (const step of this.#command.retry) await this.#do(step);
    const { appends = Number.POSITIVE_INFINITY } = this.#command;
    while (this.#appends < appends) await Promise.all(this.#next().map((step) => this.#do(step)));
  }

  /** Steps to do at once. Never two for one conversation: the order of a writer's own steps is checked. */
  #next(): Step[] {
    const chance = this.#random();
    if (this.#command.lifecycle && chance < 0.1) return [this.#lifecycleStep()];
    if (this.#command.lifecycle && chance < 0.2) {
      return [this.#step("turn", `${TURNS}${this.#command.writer}`, 1, "none")];
    }
    if (chance < 0.23 && this.#done.length > 0) return [this.#done[this.#pick(this.#done.length)] as Step];
    const { shared } = this.#command;
    const first = this.#pick(shared);
    const width = chance < 0.4 ? Math.min(3, shared) : 1;
    return Array.from({ length: width }, (_, index) => this.#append(sharedKey((first + index) % shared)));
  }

  #append(conversation: string): Step {
    const count = this.#random() < 0.25 ? 2 + this.#pick(11) : 1;
    const named = (["message", "operation", "none"] as const)[this.#pick(3)] ?? "none";
    this.#appends++;
    const step = this.#step("append", conversation, count, named);
    return this.#command.lifecycle && this.#random() < 0.2 ? { ...step, side: true } : step;
  }

  #lifecycleStep(): Step {
    if (this.#own === undefined || this.#own.phase === 4) {
      this.#own = { key: `${OWN}${this.#command.writer}-${this.#steps}`, phase: 0 };
    }
    const { key, phase } = this.#own;
    this.#own.phase++;
    if (phase === 1) return this.#step("append", key, 3, "operation");
    return this.#step(phase === 0 ? "create" : phase === 2 ? "title" : "delete", key, 0, "none");
  }

  #step(kind: Step["kind"], conversation: string, count: number, named: Step["named"]): Step {
    const first = this.#messages;
    this.#messages += count;
    return { writer: this.#command.writer, n: this.#steps++, kind, conversation, first, count, named };
  }

  #pick(below: number): number {
    return Math.floor(this.#random() * below);
  }

  async #do(step: Step): Promise<void> {
    report({ type: "began", step });
    await this.#perform(step);
    report({
      type: "acknowledged",
      writer: step.writer,
      n: step.n,
      ns: String(process.hrtime.bigint()),
    });
    // Its own conversations may be deleted by then; appending would create them again.
    const repeatable = step.named !== "none" && !isOwn(step.conversation);
    if (repeatable && this.#done.length < 100) this.#done.push(step);
  }

  async #perform(step: Step): Promise<void> {
    if (step.kind === "delete") {
      await this.#store.delete(step.conversation);
      return;
    }
    const conversation = await this.#store.open(step.conversation);
    if (step.kind === "title") await conversation.update({ title: titleOf(step) });
    else if (step.kind === "append") {
      const branch = step.side ? { branch: sideOf(step) } : {};
      if (step.side) await makeBranch(conversation, sideOf(step));
      const options = { ...operationOf(step), ...branch };
      await conversation.append(messagesOf(step, this.#command.largest), options);
    } else if (step.kind === "turn") {
      const turn = await conversation.beginTurn({ operationId: `${step.writer}-turn-${step.n}` });
      for (const piece of piecesOf(step, this.#command.largest)) await turn.delta(piece);
      await turn.finish();
    }
  }
}

/** From the checked-out head, whatever it is; from nothing in an empty conversation. */
async function makeBranch(conversation: Conversation, name: string): Promise<void> {
  const { head } = await conversation.info();
  try {
    await conversation.branch(head, { name });
  } catch (error) {
    if ((error as { code?: string }).code !== "CONFLICT") throw error;
  }
}

async function obey(command: Command): Promise<void> {
  try {
    const { target, durability } = command;
    // Torn tails of killed writers are expected here; the checker judges what became of them.
    const store = await openStore(target, { durability, lockWaitMs: LOCK_WAIT_MS, onProblem: () => {} });
    await new Writer(store, command).run();
    await store.close();
    report({ type: "done" });
  } catch (error) {
    const { code = "UNKNOWN", message } = error as Error & { code?: string };
    report({ type: "failed", code, message });
  }
}

report({ type: "ready" });
for await (const line of createInterface({ input: process.stdin })) await obey(JSON.parse(line));
