import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemIo } from "../../src/disk/file-io.ts";
import { replaceFile } from "../../src/disk/replace-file.ts";
import { writeDocument } from "../../src/state/session-index/document.ts";
import type { SessionEntry, SessionStore } from "../../src/state/session-index/entry.ts";
import { loadSessionStore } from "../../src/state/session-index/load.ts";
import { patchSessionEntry } from "../../src/state/session-index/patch.ts";
import { systemRandom } from "../../src/util/uuid.ts";
import { alternate, type BenchRow, sized, timed } from "../harness.ts";
import { atMost, below } from "../rows.ts";

const ENTRIES = sized(10_000, 200);

/** The keys of a user with many channels. */
function keyOf(number: number, id: string): string {
  const snowflake = String(100_000_000_000_000_000n + BigInt(number) * 7919n);
  const keys = [
    `discord:dm:${snowflake}`,
    `telegram:+49176${10_000_000 + number}`,
    `slack:T024BE7LD:C0${(46_656 + number).toString(36).toUpperCase().padStart(8, "X")}`,
    `web:${id}`,
    `agent:main:discord:channel:${snowflake}`,
  ];
  return keys[number % keys.length] as string;
}

function entryOf(number: number, sessionId: string): SessionEntry {
  return {
    sessionId,
    updatedAt: 1_740_000_000_000 + number,
    sessionFile: `${sessionId}.jsonl`,
    chatType: "direct",
    inputTokens: 1000 + number,
    outputTokens: 500,
    totalTokens: 1500 + number,
    totalTokensFresh: true,
    model: "claude-opus-4-6",
    modelProvider: "anthropic",
    compactionCount: 0,
    channel: "telegram",
    deliveryContext: { channel: "telegram", to: `+49176${10_000_000 + number}` },
    label: `Conversation ${number}`,
  };
}

/** An agent's folder with a large index. */
function filled(folder: string): { agentDir: string; path: string; keys: string[]; bytes: Buffer } {
  const agentDir = join(folder, "session-index");
  const path = join(agentDir, "sessions", "sessions.json");
  const entries: SessionStore = {};
  for (let number = 0; number < ENTRIES; number++) {
    const id = randomUUID();
    entries[keyOf(number, id)] = entryOf(number, id);
  }
  const bytes = writeDocument({ entries, others: {} });
  mkdirSync(join(agentDir, "sessions"), { recursive: true, mode: 0o700 });
  replaceFile(path, bytes, { io: systemIo, random: systemRandom });
  return { agentDir, path, keys: Object.keys(entries), bytes };
}

/** Reading ten thousand entries, from the file and again from the cache. */
export async function loading(folder: string): Promise<BenchRow[]> {
  const { agentDir, path } = filled(folder);
  loadSessionStore({ agentDir });
  const result = await alternate({
    file: () => timed(3, () => loadSessionStore({ agentDir, cacheTtlMs: 0 })),
    cache: () => timed(3, () => loadSessionStore({ agentDir })),
    parse: () => timed(3, () => JSON.parse(readFileSync(path, "utf8"))),
  });
  return [
    below("session index of 10,000 entries, load", result.file / 1000, 60, "ms"),
    below("session index of 10,000 entries, load again", result.cache / 1000, 60, "ms"),
    atMost("session index of 10,000 entries, load over bare parse", result.file, result.parse, 4),
  ];
}

/** Changing one entry of ten thousand, compared with rewriting the same bytes. */
export async function patching(folder: string): Promise<BenchRow[]> {
  const { agentDir, path, keys, bytes } = filled(folder);
  const options = { io: systemIo, random: systemRandom };
  let number = 0;
  const result = await alternate(
    {
      patch: () =>
        timed(10, () => {
          const sessionKey = keys[(number++ * 37) % keys.length] as string;
          return patchSessionEntry({ agentDir, sessionKey, patch: { totalTokens: number } });
        }),
      bare: () => timed(10, () => replaceFile(`${path}.bare`, bytes, options)),
      begin: () =>
        timed(10, () => {
          const sessionKey = `web:${randomUUID()}`;
          return patchSessionEntry({ agentDir, sessionKey, patch: { sessionId: sessionKey.slice(4) } });
        }),
    },
    11,
  );
  return [
    atMost("session index of 10,000 entries, patch of one", result.patch, result.bare, 2),
    atMost("session index of 10,000 entries, one more", result.begin, result.bare, 2),
  ];
}
