import { openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Conversation, openStore, type Store } from "../../src/index.ts";
import { alternate, type BenchRow, report, sized, timed } from "../harness.ts";
import { atLeast, atMost, ENGINES } from "../rows.ts";
import { CONTENT } from "./bare.ts";
import { fill } from "./fill.ts";

const LONG = sized(100_000, 2000);
const SHORT = sized(1000, 100);
const COLUMNS = "id, seq, parent_id, kind, at, op, body";

interface Prepared {
  readonly store: Store;
  readonly long: Conversation;
  readonly short: Conversation;
}

const prepared = new Map<string, Promise<Prepared>>();

/** One conversation of 100,000 messages and one of 1,000, made once for all rows. */
function prepare(target: string): Promise<Prepared> {
  const known = prepared.get(target) ?? fillStore(target);
  prepared.set(target, known);
  return known;
}

async function fillStore(target: string): Promise<Prepared> {
  const store = await openStore(target, { durability: "process" });
  const [long, short] = [await store.create(), await store.create()];
  await fill(long, LONG);
  await fill(short, SHORT);
  return { store, long, short };
}

const sqlitePath = (folder: string): string => join(folder, "read.db");
const jsonlPath = (folder: string): string => join(folder, "read-jsonl");

function longestFile(folder: string): string {
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const [longest] = files
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(b).size - statSync(a).size);
  return longest as string;
}

export async function lastMessages(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const engine of ENGINES) {
    const path = engine === "sqlite" ? sqlitePath(folder) : jsonlPath(folder);
    const { long, short } = await prepare(`${engine}:${path}`);
    const bare = engine === "sqlite" ? bareLastSqlite(path) : bareLastJsonl(longestFile(path));
    const times = await alternate(
      {
        bare: () => timed(300, bare),
        long: () => timed(300, () => long.messages({ last: 50 })),
        short: () => timed(300, () => short.messages({ last: 50 })),
      },
      11,
    );
    rows.push(
      atMost(`last 50 of 100,000 messages, ${engine}`, times.long, times.bare, 2),
      atMost(`last 50 of 100,000 against 1,000 messages, ${engine}`, times.long, times.short, 1.3),
    );
  }
  return rows;
}

function bareLastSqlite(path: string): () => void {
  const statement = new DatabaseSync(path).prepare(
    `SELECT ${COLUMNS} FROM entries WHERE conversation = 1 ORDER BY seq DESC LIMIT 50`,
  );
  return () => {
    for (const row of statement.all()) JSON.parse(row.body as string);
  };
}

/** A hand that knows beforehand how many bytes fifty lines take. */
function bareLastJsonl(path: string): () => void {
  const file = openSync(path, "r");
  const { size } = statSync(path);
  const bytes = Buffer.alloc(80 * 1024);
  return () => {
    readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString("utf8").split("\n");
    for (const line of lines.slice(-51, -1)) JSON.parse(line);
  };
}

export async function allMessages(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const engine of ENGINES) {
    const path = engine === "sqlite" ? sqlitePath(folder) : jsonlPath(folder);
    const { long } = await prepare(`${engine}:${path}`);
    const bare = engine === "sqlite" ? bareAllSqlite(path) : bareAllJsonl(longestFile(path));
    const times = await alternate(
      {
        bare: () => timed(1, bare),
        ours: () => timed(1, () => readAll(long, LONG)),
        half: () => timed(1, () => readAll(long, LONG / 2)),
      },
      5,
    );
    const reach = engine === "sqlite" ? 0.7 : 1;
    rows.push(
      atLeast(`all 100,000 messages in pages, ${engine}`, times.ours, times.bare, reach),
      atMost(
        `100,000 against twice 50,000 messages, ${engine}`,
        times.ours,
        2 * times.half,
        1.2,
        "linear, ≤ 1.2 ×",
      ),
    );
  }
  return rows;
}

async function readAll(chat: Conversation, count: number): Promise<void> {
  let seen = 0;
  for (
    let page = await chat.messages({ limit: 1000 });
    ;
    page = await chat.messages({ limit: 1000, cursor: page.cursor as string })
  ) {
    seen += page.items.length;
    if (page.cursor === null || seen >= count) break;
  }
  if (seen !== count) throw new Error(`${seen} instead of ${count} messages`);
}

function bareAllSqlite(path: string): () => void {
  const statement = new DatabaseSync(path).prepare(
    `SELECT ${COLUMNS} FROM entries WHERE conversation = 1 ORDER BY seq`,
  );
  return () => {
    let seen = 0;
    for (const row of statement.all()) {
      JSON.parse(row.body as string);
      seen++;
    }
    if (seen !== LONG) throw new Error(`${seen} rows`);
  };
}

function bareAllJsonl(path: string): () => void {
  return () => {
    const lines = readFileSync(path, "utf8").split("\n");
    for (const line of lines) if (line !== "") JSON.parse(line);
  };
}

/** Messages that came one by one, and, for comparison, in appends of a thousand that carry a name. */
export async function diskUse(folder: string): Promise<BenchRow[]> {
  const path = join(folder, "disk.db");
  const count = sized(20_000, 100);
  {
    await using store = await openStore(`sqlite:${path}`, { durability: "process" });
    const chat = await store.create();
    for (let n = 0; n < count; n++) await chat.append({ role: "user", content: CONTENT });
  }
  await prepare(`sqlite:${sqlitePath(folder)}`);
  const named = sizeOf(sqlitePath(folder)) / ((LONG + SHORT) * CONTENT.length);
  console.log(
    `     (in appends of a thousand, with the name of the append in every entry, it is ${named.toFixed(3)})`,
  );
  const [bytes, content] = [sizeOf(path), count * CONTENT.length];
  const ratio = bytes / content;
  return [
    report({
      work: "disk per content byte, sqlite, after a checkpoint",
      ours: `${(bytes / 1e6).toFixed(1)} MB`,
      bare: `${(content / 1e6).toFixed(1)} MB`,
      value: ratio.toFixed(3),
      reach: "≤ 1.4",
      ok: ratio <= 1.4,
    }),
  ];
}

function sizeOf(path: string): number {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return statSync(path).size;
}
