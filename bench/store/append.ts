import { fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/index.ts";
import { alternate, type BenchRow, microseconds, timed } from "../harness.ts";
import { atLeast, atMost } from "../rows.ts";
import { BareSqlite, CONTENT, PlainInsert } from "./bare.ts";

const message = { role: "user", content: CONTENT } as const;
const COUNT = 300;
const MANY = 64;

export async function sqliteAppend(folder: string): Promise<BenchRow[]> {
  return [await oneWriter(folder, "FULL", "durable append, one writer, sqlite", 0.85)];
}

export async function processAppend(folder: string): Promise<BenchRow[]> {
  return [await oneWriter(folder, "NORMAL", 'append with durability "process", sqlite', 0.75)];
}

async function oneWriter(
  folder: string,
  synchronous: "FULL" | "NORMAL",
  work: string,
  reach: number,
): Promise<BenchRow> {
  const full = synchronous === "FULL";
  const count = full ? COUNT : COUNT * 10;
  const bare = new BareSqlite(join(folder, `bare-${synchronous}.db`), synchronous);
  const plain = new PlainInsert(join(folder, `plain-${synchronous}.db`), synchronous);
  await using store = await openStore(`sqlite:${join(folder, `ours-${synchronous}.db`)}`, {
    durability: full ? "full" : "process",
  });
  const chat = await store.create();
  const times = await alternate({
    bare: () => timed(count, () => bare.append()),
    ours: () => timed(count, () => chat.append(message)),
    plain: () => timed(count, () => plain.append()),
  });
  console.log(`     (a plain INSERT into a table without index takes ${microseconds(times.plain)})`);
  return atLeast(work, times.ours, times.bare, reach);
}

export async function sqliteMany(folder: string): Promise<BenchRow[]> {
  const bare = new BareSqlite(join(folder, "bare-64.db"), "FULL", MANY);
  await using store = await openStore(`sqlite:${join(folder, "ours-64.db")}`);
  const chats = await Promise.all(Array.from({ length: MANY }, () => store.create()));
  const single = await store.create();
  const rounds = 40;
  const times = await alternate({
    bare: async () => (await timed(rounds, () => bare.append(MANY))) / MANY,
    ours: async () =>
      (await timed(rounds, () => Promise.all(chats.map((chat) => chat.append(message))))) / MANY,
    one: () => timed(COUNT, () => single.append(message)),
  });
  return [
    atLeast("durable append, 64 conversations at once, sqlite", times.ours, times.bare, 0.85),
    atLeast("the same against one writer of ours", times.ours, times.one, 8),
  ];
}

export async function jsonlAppend(folder: string): Promise<BenchRow[]> {
  const file = openSync(join(folder, "bare.jsonl"), "w", 0o600);
  await using store = await openStore(`jsonl:${join(folder, "jsonl-append")}`);
  const single = await store.create();
  const chats = await Promise.all(Array.from({ length: MANY }, () => store.create()));
  const times = await alternate({
    bare: () =>
      timed(COUNT, () => {
        writeSync(file, `${JSON.stringify({ ...message, timestamp: new Date().toISOString() })}\n`);
        fdatasyncSync(file);
      }),
    one: () => timed(COUNT, () => single.append(message)),
    many: async () => (await timed(20, () => Promise.all(chats.map((chat) => chat.append(message))))) / MANY,
  });
  return [
    atLeast("durable append, one writer, jsonl", times.one, times.bare, 0.75),
    atLeast("64 conversations at once, against one writer of ours, jsonl", times.many, times.one, 1.5),
  ];
}

export async function workerAppend(folder: string): Promise<BenchRow[]> {
  await using inside = await openStore(`sqlite:${join(folder, "inside.db")}`);
  await using outside = await openStore(`sqlite:${join(folder, "outside.db")}`, { worker: true });
  const [here, there] = [await inside.create(), await outside.create()];
  const times = await alternate({
    inProcess: () => timed(COUNT, () => here.append(message)),
    worker: () => timed(COUNT, () => there.append(message)),
  });
  return [
    atMost(
      "one append through the worker thread, durable",
      times.worker,
      times.inProcess,
      2,
      "≤ 2 × in-process",
    ),
  ];
}
