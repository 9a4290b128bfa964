import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { originalSources } from "../../src/formats/export/original/original.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { tempFolder } from "../support/temp-folder.ts";

const SESSION = "5e551000-0000-4000-8000-00000000000";
const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const FORK = 900;

function line(session: number, number: number, parent: number | null, text: string): string {
  return `${JSON.stringify({
    ...{ sessionId: `${SESSION}${session}`, cwd: "/w", version: "2.1.0", type: "user", uuid: uuid(number) },
    ...{ parentUuid: parent === null ? null : uuid(parent) },
    ...{ timestamp: new Date(1_700_000_000_000 + number * 1000).toISOString() },
    message: { role: "user", content: text },
  })}\n`;
}

/** A session, and a shorter file with a fork of it, which has other bytes at the same offsets. */
function writeFork(folder: string): void {
  mkdirSync(folder);
  const lines = (session: number, count: number): string =>
    Array.from({ length: count }, (_, n) => line(session, n, n === 0 ? null : n - 1, `Words ${n}`)).join("");
  writeFileSync(join(folder, `${SESSION}1.jsonl`), lines(1, 30));
  writeFileSync(join(folder, `${SESSION}2.jsonl`), lines(2, 10) + line(2, FORK, 9, "Another way"));
}

async function textOf(store: Store, number: number): Promise<string> {
  const sources = await originalSources(store, `claude-code:${SESSION}1`);
  const source = sources.find(({ file }) => file === `${SESSION}${number}.jsonl`);
  return Buffer.concat(await Array.fromAsync(source?.bytes() ?? [])).toString();
}

describe.each(["sqlite", "jsonl", "ephemeral"])("a fork in another file, in %s", (engine) => {
  const opened = async (): Promise<{ store: Store; sources: string }> => {
    const folder = tempFolder();
    const sources = join(folder, "sources");
    writeFork(sources);
    const store = await openStore(
      engine === "ephemeral" ? "ephemeral:" : `${engine}:${join(folder, "store")}`,
    );
    await importConversations(store, [sources]);
    return { store, sources };
  };

  it("says of its entries that they are in that file", async () => {
    const { store } = await opened();
    await using _ = store;
    const entry = await (await store.open(`claude-code:${SESSION}1`)).entry(uuid(FORK));
    const { original, at } = entry?.message?.provenance ?? {};
    const [start, bytes] = (at as [number, number][])[0] ?? [0, 0];
    expect(original).toBe(2);
    expect((await textOf(store, 2)).slice(start, start + bytes)).toContain("Another way");
  });

  it("is erased from its own file, and leaves the lines of the other", async () => {
    const { store, sources } = await opened();
    await using _ = store;
    const chat = await store.open(`claude-code:${SESSION}1`);
    await chat.redact(uuid(FORK));
    expect(await textOf(store, 2)).not.toContain("Another way");
    expect(await textOf(store, 1)).toBe(readFileSync(join(sources, `${SESSION}1.jsonl`), "utf8"));
  });
});
