import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";

const MESSAGES = 2500;

describe("the search index of a store", () => {
  let folder: string;
  const target = (): string => `sqlite:${folder}/s.db`;
  const change = (...statements: string[]): void => {
    const database = new DatabaseSync(`${folder}/s.db-search`);
    for (const sql of statements) database.exec(sql);
    database.close();
  };
  const hits = async (text: string): Promise<number> => {
    await using store = await openStore(target());
    return (await store.search(text)).hits.length;
  };

  beforeEach(async () => {
    folder = tempFolder();
    await using store = await openStore(target(), { durability: "process" });
    const content = (index: number): string => `word${index} \u001b[31mbuoy${index}\u001b[0m`;
    await (await store.create()).append(
      Array.from({ length: MESSAGES }, (_, index) => ({ role: "user" as const, content: content(index) })),
    );
  });

  it("has words that a tool printed in colour", async () => {
    await using store = await openStore(target());
    const { snippet, highlights } = (await store.search('"buoy7"')).hits[0] ?? {};
    expect([snippet, highlights]).toEqual(["word7 buoy7", [[6, 11]]]);
  });

  it("is built again if another version has written it", async () => {
    expect(await hits('"word7"')).toBe(1);
    change("UPDATE state SET value = '0' WHERE name = 'version'", "DELETE FROM documents");
    expect(await hits('"word7"')).toBe(1);
  });

  it("continues to be built where that was stopped", async () => {
    const progress: number[] = [];
    {
      await using store = await openStore(target());
      await store.rebuildSearch({
        onProgress: ({ messages }) => {
          progress.push(messages);
          void store.close();
        },
      });
    }
    await using store = await openStore(target());
    await store.rebuildSearch({ onProgress: ({ messages, total }) => progress.push(messages, total) });
    expect(progress[0]).toBeLessThan(MESSAGES);
    expect(progress[1]).toBeGreaterThan(progress[0] ?? MESSAGES);
    expect(progress.slice(-2)).toEqual([MESSAGES, MESSAGES]);
    expect((await store.search('"word2499"')).hits).toHaveLength(1);
  });

  it("that cannot be written fails to be built", async () => {
    expect(await hits('"word7"')).toBe(1);
    change("CREATE TRIGGER refuse BEFORE INSERT ON documents BEGIN SELECT json('refused'); END");
    await using store = await openStore(target());
    await expect(store.rebuildSearch()).rejects.toThrow("malformed JSON");
  });

  it("is in its file with readonly, if that is asked for", async () => {
    const found = async (searchFile: boolean): Promise<boolean> => {
      await using store = await openStore(target(), { readonly: true, searchFile });
      expect((await store.search('"word7"')).hits).toHaveLength(1);
      return existsSync(`${folder}/s.db-search`);
    };
    expect([await found(false), await found(true)]).toEqual([false, true]);
    await expect(openStore(target(), { searchFile: true })).rejects.toThrow("searchFile requires readonly");
  });
});
