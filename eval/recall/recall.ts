/** Loads a set into a store, asks its questions, and compares with plain FTS5 in the same run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddingSettings, openEmbeddings } from "../../src/memory/index.ts";
import { openStore } from "../../src/store/index.ts";
import { evaluate, type RankingResult } from "./evaluate.ts";
import { loadStore } from "./load-store.ts";
import { plainFts5 } from "./plain-fts5.ts";
import { readSet } from "./read-set.ts";
import type { Report } from "./report.ts";
import { type Mode, storeRanking } from "./store-rankings.ts";

export interface RecallOptions {
  readonly folder: string;
  readonly modes: readonly Mode[];
  /** How many messages each question asks for. */
  readonly limit: number;
  /** Who embeds messages and questions. Without a provider, only words can be searched. */
  readonly embedding?: EmbeddingSettings | undefined;
}

export async function recall({ folder, modes, limit, embedding }: RecallOptions): Promise<Report> {
  const set = readSet(folder);
  const results: RankingResult[] = [];
  using plain = plainFts5(set);
  results.push(await evaluate(plain, set.questions, limit));
  const place = mkdtempSync(join(tmpdir(), "colloquy-eval-"));
  try {
    const [semantic] = embedding === undefined ? [] : openEmbeddings({ primary: embedding }).providers;
    const store = await openStore(`sqlite:${join(place, "store.db")}`, {
      durability: "process",
      ...(semantic === undefined ? {} : { semantic }),
    });
    try {
      const refs = await loadStore(store, set);
      for (const mode of modes) {
        results.push(await evaluate(await storeRanking(store, refs, mode), set.questions, limit));
      }
    } finally {
      await store.close();
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  return { set, results };
}
