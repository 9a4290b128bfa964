import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore, type Store } from "../../src/index.ts";
import { alternate, type BenchRow, microseconds, report, sized, timed } from "../harness.ts";
import { atMost } from "../rows.ts";

const CONVERSATIONS = sized(10_000, 100);
const AT_ONCE = Math.min(500, CONVERSATIONS);

async function fillStore(target: string): Promise<Store> {
  const store = await openStore(target, { durability: "process" });
  for (let done = 0; done < CONVERSATIONS; done += AT_ONCE) {
    const made = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        store.open(`web:${done + index}`, { title: `Conversation ${done + index}` }),
      ),
    );
    await Promise.all(made.map((chat) => chat.append({ role: "user", content: "hello" })));
  }
  return store;
}

export async function listing(folder: string): Promise<BenchRow[]> {
  return [await listSqlite(join(folder, "list.db")), ...(await listJsonl(join(folder, "list-jsonl")))];
}

async function listSqlite(path: string): Promise<BenchRow> {
  await using store = await fillStore(`sqlite:${path}`);
  const statement = new DatabaseSync(path).prepare(
    `SELECT id, key, title, channel, model, profile_id, context_state, message_count, head, created_at, updated_at,
      last_message_at, deleted_at FROM conversations WHERE deleted_at IS NULL ORDER BY active_at DESC, id LIMIT 51`,
  );
  const times = await alternate({
    bare: () => timed(500, () => statement.all()),
    ours: () => timed(500, () => store.list()),
  });
  return atMost("first page of 10,000 conversations, sqlite", times.ours, times.bare, 1.5);
}

async function listJsonl(path: string): Promise<BenchRow[]> {
  const filled = await fillStore(`jsonl:${path}`);
  await filled.close();
  const times = await alternate({
    cold: async () => {
      const start = performance.now();
      await using store = await openStore(`jsonl:${path}`);
      await store.list();
      return (performance.now() - start) * 1000;
    },
  });
  await using store = await openStore(`jsonl:${path}`);
  const warm = await alternate({ warm: () => timed(5, () => store.list()) });
  const seconds = microseconds(times.cold);
  console.log(`     (the first time, with opening and reading 10,000 metadata files, it takes ${seconds})`);
  return [
    report({
      work: "first page of 10,000 conversations, jsonl",
      ours: microseconds(warm.warm),
      bare: `${seconds} the first time`,
      value: microseconds(warm.warm),
      reach: "≤ 100 ms",
      ok: warm.warm <= 100_000,
    }),
  ];
}
