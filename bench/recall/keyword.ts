import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore, type Store } from "../../src/index.ts";
import { alternate, type BenchRow, median, sized, timed } from "../harness.ts";
import { installCommand, runNode } from "../installed-command.ts";
import { atLeast, atMost, below } from "../rows.ts";
import { Talk } from "./talk.ts";

const MESSAGES = sized(1_000_000, 300);
const NEW_MESSAGES = sized(10_000, 50);
const CONVERSATION = 200;
const QUERIES = sized(100, 2);
const COLD_STARTS = sized(9, 1);

/** What an append pays when the store is searched, too. */
export async function searchedAppend(folder: string): Promise<BenchRow[]> {
  const message = { role: "user", content: new Talk().text() } as const;
  await using searched = await openStore(`sqlite:${join(folder, "searched.db")}`);
  await using plain = await openStore(`sqlite:${join(folder, "plain.db")}`);
  const [ours, bare] = [await searched.create(), await plain.create()];
  await searched.search("word");
  const times = await alternate({
    bare: () => timed(300, () => bare.append(message)),
    ours: () => timed(300, () => ours.append(message)),
  });
  return [atLeast("append with search on, against append without", times.ours, times.bare, 0.95)];
}

/** Indexing new messages, against FTS5 with the same texts. */
export async function catchingUp(folder: string): Promise<BenchRow[]> {
  const talk = new Talk();
  await using store = await openStore(`sqlite:${join(folder, "catch-up.db")}`, { durability: "process" });
  const bare = new DatabaseSync(join(folder, "bare-fts5.db"));
  bare.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE VIRTUAL TABLE bare USING fts5(text)",
  );
  const insert = bare.prepare("INSERT INTO bare (text) VALUES (?)");
  await store.search("word");
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < sized(4, 1); round++) {
    const texts = Array.from({ length: NEW_MESSAGES }, () => talk.text());
    await append(store, texts);
    ours.push(await timed(1, async () => (await store.search("word")).indexed || wait(store)));
    theirs.push(
      await timed(1, () => {
        bare.exec("BEGIN");
        for (const text of texts) insert.run(text);
        bare.exec("COMMIT");
      }),
    );
  }
  bare.close();
  const what = `catch-up after ${NEW_MESSAGES.toLocaleString("en")} messages, against a bare FTS5 insert`;
  return [atMost(what, median(ours), median(theirs), 2.5)];
}

async function wait(store: Store): Promise<void> {
  while (!(await store.search("word")).indexed);
}

/** Queries over many messages: how long they take, and how large the index is. */
export async function queries(folder: string): Promise<BenchRow[]> {
  const file = join(folder, "many.db");
  const talk = new Talk();
  let chars = 0;
  const phrases: string[] = [];
  const rare: string[] = [];
  {
    await using store = await openStore(`sqlite:${file}`, { durability: "process" });
    for (let done = 0; done < MESSAGES; done += CONVERSATION * 10) {
      const texts = Array.from({ length: Math.min(CONVERSATION * 10, MESSAGES - done) }, () => talk.text());
      for (const text of texts) chars += text.length;
      phrases.push(`"${texts[0]?.split(" ").slice(4, 7).join(" ")}"`);
      rare.push(talk.rarestOf(texts[0] as string));
      await append(store, texts);
    }
    const startMs = performance.now();
    await store.rebuildSearch();
    const seconds = (performance.now() - startMs) / 1000;
    console.log(`     index of ${MESSAGES.toLocaleString("en")} messages built in ${seconds.toFixed(0)} s`);
  }
  await using store = await openStore(`sqlite:${file}`);
  const rank = (index: number, from: number): string => talk.ranked(from + index * 3);
  const kinds: [string, number, (index: number) => string][] = [
    ["rare word", 5, (index) => rare[index % rare.length] as string],
    ["medium word", 15, (index) => rank(index, 2000)],
    ["very common word", 60, (index) => talk.ranked(90 + (index % 20))],
    [
      "three words",
      40,
      (index) => `${talk.ranked(90 + (index % 20))} ${rank(index, 1000)} ${rank(index, 20_000)}`,
    ],
    ["phrase", 20, (index) => phrases[index % phrases.length] as string],
  ];
  await store.search("warm up");
  const rows: BenchRow[] = [];
  const size = MESSAGES.toLocaleString("en");
  for (const [name, reach, query] of kinds) {
    const times: number[] = [];
    for (let index = 0; index < QUERIES; index++)
      times.push((await timed(1, () => store.search(query(index)))) / 1000);
    times.sort((one, other) => one - other);
    const p95 = times[Math.floor(times.length * 0.95)] as number;
    rows.push(below(`p95 of a keyword query over ${size} messages: ${name}`, p95, reach, "ms"));
  }
  const ratio = statSync(`${file}-search`).size / chars;
  rows.push(below("search index, against the text that it indexes", ratio, 0.6, "×", 2));
  rows.push(coldQuery(folder, file));
  return rows;
}

/** The first query of a process, beyond what Node itself needs to start. */
function coldQuery(folder: string, file: string): BenchRow {
  const command = installCommand(folder);
  const env = {
    COLLOQUY_STATE_DIR: join(folder, "state"),
    COLLOQUY_STORE: `sqlite:${file}`,
    NODE_COMPILE_CACHE: join(folder, "cache"),
  };
  const start = (...args: string[]): number => {
    const beganMs = performance.now();
    runNode(args, env);
    return performance.now() - beganMs;
  };
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < COLD_STARTS; round++) {
    bare.push(start("-e", "0"));
    ours.push(start(command, "search", "number problem", "--json"));
  }
  const beyond = median(ours) - median(bare);
  return below("`colloquy search` in a cold process, beyond the start of Node", beyond, 150, "ms", 0);
}

/** In conversations of a few hundred messages. */
async function append(store: Store, texts: readonly string[]): Promise<void> {
  for (let from = 0; from < texts.length; from += CONVERSATION) {
    const chat = await store.create();
    const part = texts.slice(from, from + CONVERSATION);
    const messages = part.map((content, index) => ({
      role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
      content,
    }));
    await chat.append(messages);
  }
}
