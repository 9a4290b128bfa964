import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type MessageInput, openStore, type Store } from "../../src/index.ts";
import { type BenchRow, sized } from "../harness.ts";
import { below, ENGINES } from "../rows.ts";

const ERASURE_WAIT_MAX_MS = 250;
const WAIT_MAX_MS = 1000;
const PROCESSES = 6;
const TOGETHER_MS = sized(20_000, 200);
const CONVERSATIONS = 10;

/** How long other writers wait while a large SQLite file erases: in another process, and in the same one. */
export async function erasing(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const messages = sized(100_000, 100);
  const blobs = sized(20_000, 20);
  const long = async (store: Store): Promise<void> => fill(store, messages, plain);
  const attached = async (store: Store): Promise<void> => fill(store, blobs, withBlob);
  for (const [what, fillWith] of [
    [`${messages} entries`, long],
    [`${blobs} blobs`, attached],
  ] as const) {
    const target = `sqlite:${join(folder, `erasing-${what}.db`)}`;
    const filling = await openStore(target, { durability: "process" });
    await fillWith(filling);
    const { bytes } = await filling.stats();
    await filling.close();
    const size = `${what}, ${(bytes / 1e9).toFixed(2)} GB, sqlite`;
    const [waits, hereMs] = await measured([target], "append", () => erase(target));
    rows.push(
      below(`longest append while another process erases, ${size}`, waits[0] ?? 0, ERASURE_WAIT_MAX_MS, "ms"),
    );
    rows.push(below(`… in the same process, ${size}`, hereMs, ERASURE_WAIT_MAX_MS, "ms"));
  }
  return rows;
}

/** Everything that removes something. Returns the longest append meanwhile. */
async function erase(target: string): Promise<number> {
  const store = await openStore(target);
  const { items } = await store.list({ limit: CONVERSATIONS });
  const [one, two, three] = await Promise.all(items.slice(1).map(({ id }) => store.get(id)));
  if (one === undefined || two === undefined || three === undefined) throw new Error("The store is empty");
  let isOver = false;
  const appending = (async () => {
    const chat = await store.create();
    let longestMs = 0;
    while (!isOver) {
      const startMs = performance.now();
      await chat.append({ role: "user", content: "x" });
      longestMs = Math.max(longestMs, performance.now() - startMs);
      await sleep(2);
    }
    return longestMs;
  })();
  const [entry] = (await one.messages({ last: 1 })).items;
  await one.redact(entry?.id ?? "");
  await store.purge(two.id, { force: true });
  await Promise.all([store.purge(three.id, { force: true }), store.collectGarbage({ olderThanHours: 0 })]);
  isOver = true;
  const longestMs = await appending;
  await store.close();
  return longestMs;
}

async function fill(store: Store, count: number, message: (n: number) => MessageInput): Promise<void> {
  for (let chats = 0; chats < CONVERSATIONS; chats++) {
    const chat = await store.create();
    const each = count / CONVERSATIONS;
    for (let done = 0; done < each; done += 500) {
      await chat.append(Array.from({ length: Math.min(500, each - done) }, (_, n) => message(n)));
    }
  }
}

function plain(): MessageInput {
  return { role: "user", content: randomBytes(7000).toString("base64") };
}

function withBlob(): MessageInput {
  const data = randomBytes(50_000).toString("base64");
  return {
    role: "user",
    content: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }],
  };
}

/** How long a write waits while several processes append, read, list, redact, purge and copy. */
export async function together(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const engine of ENGINES) {
    const place = join(folder, `together-${engine}`);
    const targets = Array.from({ length: PROCESSES }, () => `${engine}:${place}`);
    const [waits] = await measured(targets, "everything", () => sleep(TOGETHER_MS));
    const work = `longest append of ${PROCESSES} processes that do everything, ${engine}`;
    rows.push(below(work, Math.max(...waits), WAIT_MAX_MS, "ms"));
  }
  return rows;
}

/** The longest append of each child, and the result of `work`. */
async function measured<T>(
  targets: readonly string[],
  mode: string,
  work: () => Promise<T>,
): Promise<[waits: number[], result: T]> {
  const children = targets.map((target, n) =>
    fork(join(import.meta.dirname, "waits-child.ts"), [
      target,
      mode,
      `${target.replace(/^\w+:/, "")}-copy-${n}`,
    ]),
  );
  await Promise.all(children.map((child) => once(child, "message")));
  const result = await work();
  const waits = Promise.all(children.map(longestOf));
  for (const child of children) child.send("stop");
  return [await waits, result];
}

async function longestOf(child: ChildProcess): Promise<number> {
  const [longestMs] = await once(child, "message");
  return Number(longestMs);
}
