/** Processes that index, append and erase at once, and processes that are killed while they do. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Store } from "../../src/index.ts";
import { Place } from "./kit.ts";

const SCRIPT = fileURLToPath(new URL("./process.ts", import.meta.url));

function start(place: Place, role: "write" | "search", name: string, rounds: number): ChildProcess {
  const values = [SCRIPT, place.target, role, name, String(rounds)];
  return spawn(process.execPath, values, { stdio: ["ignore", "pipe", "inherit"] });
}

async function wordsOf(child: ChildProcess): Promise<{ live: string[]; erased: string[] }> {
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const [code] = await once(child, "close");
  expect(code).toBe(0);
  return JSON.parse(text);
}

/** How many messages have a word. */
async function count(store: Store, word: string): Promise<number> {
  const { hits, indexed } = await store.search(word, { limit: 100 });
  expect(indexed).toBe(true);
  return hits.filter(({ snippet }) => snippet.includes(`${word} `)).length;
}

function bytesOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))
    .join("\0");
}

describe.each(["sqlite", "jsonl"] as const)("the index of a %s store", (engine) => {
  it("has every message once and nothing erased, after many processes used it", async () => {
    const place = new Place(engine);
    await using store = await place.open();
    const searching = [start(place, "search", "a", 30), start(place, "search", "b", 30)];
    const all = await Promise.all([
      wordsOf(start(place, "write", "c", 5)),
      wordsOf(start(place, "write", "d", 5)),
      ...searching.map(wordsOf),
    ]);
    for (const word of all.flatMap(({ live }) => live))
      expect([word, await count(store, word)]).toEqual([word, 1]);
    const bytes = bytesOf(place.folder);
    for (const word of all.flatMap(({ erased }) => erased)) {
      expect([word, await count(store, word)]).toEqual([word, 0]);
      expect([word, bytes.includes(word)]).toEqual([word, false]);
    }
  });
});

describe("an index", () => {
  it("is complete and right after processes were killed while they built it", async () => {
    const place = new Place("jsonl");
    const texts = Array.from({ length: 3000 }, (_, n) => `about killed${n} ${"and the harbour ".repeat(9)}`);
    await using store = await place.open();
    for (let n = 0; n < 3; n++) {
      const chat = await store.open(`cli:${n}`);
      await chat.append(texts.slice(n * 1000, n * 1000 + 1000).map((content) => ({ role: "user", content })));
    }
    // Each is killed a little later after it has begun: in the middle of opening, of a transaction, between two.
    for (let kill = 0; kill < 4; kill++) {
      const child = start(place, "search", "a", 1_000_000);
      while (!existsSync(place.index) && child.exitCode === null) await sleep(1);
      await sleep(15 * kill);
      child.kill("SIGKILL");
      await once(child, "close");
    }
    await store.search("harbour");
    for (let n = 0; n < 3000; n += 97) expect([n, await count(store, `killed${n}`)]).toEqual([n, 1]);
  });
});
