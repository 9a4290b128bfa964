/**
 * A process that executes the commands of a test, one a line, and can stop in
 * the middle of a write.
 *
 * "Stop" is a real SIGSTOP while the store's lock is held: in JSONL after half
 * of a line is in the file, or where the test says; in SQLite inside the
 * transaction, before COMMIT.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { StatementSync } from "node:sqlite";
import { JsonlEngine } from "../../src/engine/jsonl/jsonl-engine.ts";
import { importConversations } from "../../src/formats/index.ts";
import { type ColloquyError, type MessageInput, openStore, type Store } from "../../src/index.ts";
import { type FileIo, systemIo } from "../../src/transcript/index.ts";

type StopPlace = "look" | "write" | "sync";

export interface Calls {
  open(target: string, options: { readonly?: boolean; lockWaitMs?: number }): Promise<void>;
  /** Returns how many were written. */
  append(key: string, messages: MessageInput | MessageInput[], operationId?: string): Promise<number>;
  /** The next write stops this process in its middle; JSONL also after a look at the log, or before the sync. */
  stopInNextWrite(place?: StopPlace): Promise<void>;
  texts(key: string): Promise<unknown[]>;
  importAgain(path: string): Promise<void>;
  verify(): Promise<string[]>;
  close(): Promise<void>;
}

let store: Store | undefined;
let stopping: StopPlace | undefined;

function stopHere(): void {
  stopping = undefined;
  writeSync(1, '{"stopped":true}\n');
  process.kill(process.pid, "SIGSTOP");
}

/** Readers look at the log too. */
let isLocked = false;

const stoppingIo: FileIo = {
  ...systemIo,
  write(file, bytes, position) {
    if (stopping !== "write" || bytes.length < 40) return systemIo.write(file, bytes, position);
    const half = Math.floor(bytes.length / 2);
    const count = systemIo.write(file, bytes.subarray(0, half), position);
    stopHere();
    return count + systemIo.write(file, bytes.subarray(half), position + half);
  },
  stat(path) {
    const stat = systemIo.stat(path);
    if (stopping === "look" && isLocked && /\d{17}\.jsonl$/.test(path)) stopHere();
    return stat;
  },
  lock(path) {
    const lock = systemIo.lock(path);
    return {
      tryAcquire: () => {
        isLocked = lock.tryAcquire();
        return isLocked;
      },
      isHeld: () => lock.isHeld(),
      release: () => {
        isLocked = false;
        lock.release();
      },
      holder: () => lock.holder(),
      close: () => lock.close(),
    };
  },
  sync(file) {
    if (stopping === "sync") stopHere();
    systemIo.sync(file);
  },
};

const run = StatementSync.prototype.run;
let writing = false;
StatementSync.prototype.run = function (this: StatementSync, ...values: Parameters<typeof run>) {
  // Reads end with a COMMIT too, and block no other process.
  if (this.sourceSQL.startsWith("BEGIN")) writing = this.sourceSQL === "BEGIN IMMEDIATE";
  if (stopping === "write" && writing && this.sourceSQL === "COMMIT") stopHere();
  return run.apply(this, values);
} as typeof run;

function opened(): Store {
  if (store === undefined) throw new Error("The test did not open a store");
  return store;
}

const calls: Calls = {
  async open(target, options) {
    if (!target.startsWith("jsonl:") || options.readonly) {
      store = await openStore(target, { onProblem: () => {}, ...options });
      return;
    }
    const { lockWaitMs = 10_000 } = options;
    const engineOptions = { readonly: false, durability: "full" as const, lockWaitMs, onProblem: () => {} };
    const engine = await JsonlEngine.open(target.slice("jsonl:".length), engineOptions, { io: stoppingIo });
    store = await openStore(engine);
  },
  async append(key, messages, operationId) {
    const conversation = await opened().open(key);
    return (await conversation.append(messages, { operationId })).entries.length;
  },
  async stopInNextWrite(place = "write") {
    stopping = place;
  },
  async texts(key) {
    const conversation = await opened().get(key);
    const page = await conversation?.messages({ limit: 10_000 });
    return page?.items.map(({ message }) => message?.content) ?? [];
  },
  async importAgain(path) {
    await importConversations(opened(), [path], { again: true });
  },
  async verify() {
    return (await opened().verify()).findings.map(({ code, message }) => `${code}: ${message}`);
  },
  async close() {
    await store?.close();
    store = undefined;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, call, values } = JSON.parse(line) as { id: number; call: keyof Calls; values: unknown[] };
  let reply: object;
  try {
    const perform = calls[call] as (...values: unknown[]) => Promise<unknown>;
    reply = { id, ok: true, value: await perform(...values) };
  } catch (error) {
    const { code, message, details } = error as ColloquyError;
    reply = { id, ok: false, error: { code, message, details } };
  }
  writeSync(1, `${JSON.stringify(reply)}\n`);
}
