/**
 * A separate process: opens the engine, does one job and reports what
 * was acknowledged.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { ColloquyError } from "../errors.ts";
import type { Conversation } from "../store/conversation.ts";
import { openStore } from "../store/open.ts";
import type { Store } from "../store/store.ts";
import type { ChildJob, JobsTask, LeaseTask, MixTask, TurnTask, WriteTask } from "./child-process.ts";
import { type EngineModule, PATIENCE_MS } from "./kit.ts";

/** Written synchronously: a reported line was acknowledged, even if the process dies right after. */
function say(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      // The pipe is full until the parent reads.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

async function write(chat: Conversation, { writer, count, batch }: WriteTask): Promise<void> {
  for (let n = 0; n < count; n++) {
    const part = (index: number) => ({ role: "user" as const, content: `${writer} ${n} ${index}` });
    await chat.append(Array.from({ length: batch }, (_, index) => part(index)));
    say(`ack ${n}`);
  }
}

async function stream(chat: Conversation, { turn: operationId, note }: TurnTask): Promise<void> {
  const turn = await chat.beginTurn({ operationId, model: "m-1" });
  await turn.add({ role: "user", content: "the question" });
  if (note !== undefined) await turn.note(note);
  for (let n = 0; ; n++) {
    await turn.delta(`piece ${n}, `);
    say(`ack ${n}`);
  }
}

/** For everything in this process. */
function setClock(aheadMs: number): void {
  const now = Date.now;
  Date.now = () => now() + aheadMs;
}

async function hold(chat: Conversation, { writer, ttlMs, waitMs }: LeaseTask): Promise<void> {
  const lease = await chat.lease({ ttlMs, waitMs }).catch((error: ColloquyError) => {
    say(`refused ${error.code}`);
  });
  if (lease === undefined) return;
  say(`lease ${lease.epoch}`);
  for await (const line of createInterface(process.stdin)) {
    try {
      if (line === "append") await chat.append({ role: "user", content: writer }, { lease });
      else await lease.release();
      say(`done ${line}`);
    } catch (error) {
      say(`refused ${error instanceof ColloquyError ? error.code : String(error)}`);
    }
  }
}

async function mix(chat: Conversation, { round }: MixTask): Promise<void> {
  for (let n = 0; ; n++) {
    const name = `${round} ${n}`;
    const [first] = (
      await chat.append([
        { role: "user", content: `${name} first` },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: name.repeat(10_000) }] },
      ])
    ).entries;
    say(`ack ${name}`);
    await chat.branch(first?.id as string, { name: `side ${name}` });
    const [gone] = (
      await chat.append({ role: "user", content: "to be redacted" }, { branch: `side ${name}` })
    ).entries;
    await chat.redact(gone?.id as string);
    await chat.label(first?.id as string, name);
    if (n % 2 === 1) await chat.pruneBranches({ keep: 1 });
    const turn = await chat.beginTurn({ branch: "main" });
    await turn.delta(`${name} streamed`);
    say(`delta ${name}`);
    await turn.finish();
    say(`turn ${name}`);
  }
}

async function moveJobs({ jobs }: Store, { mover, count }: JobsTask): Promise<void> {
  for (let n = 0; n < count; n++) {
    const from = { queue: "inbox", id: String(n) };
    const to = { queue: `outbox:${mover}`, id: from.id };
    try {
      await jobs.change({ expect: [from], remove: [from], put: [to] });
      say(`moved ${n}`);
    } catch (error) {
      if (!(error instanceof ColloquyError) || error.code !== "CONFLICT") throw error;
    }
  }
}

const job: ChildJob = JSON.parse(process.argv[2] as string);
if (job.task === "lease" && job.aheadMs !== undefined) setClock(job.aheadMs);
const module: EngineModule = await import(job.engine);
const engine = await module.open(job.folder, {
  readonly: false,
  durability: job.durability,
  lockWaitMs: PATIENCE_MS,
  onProblem: () => {},
});
const store = await openStore(engine);
const chat = await store.open(job.key);
say(`open ${chat.id}`);
if (job.task === "write") await write(chat, job);
else if (job.task === "turn") await stream(chat, job);
else if (job.task === "lease") await hold(chat, job);
else if (job.task === "jobs") await moveJobs(store, job);
else await mix(chat, job);
await store.close();
