import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";

const FIXTURES = "test/fixtures";
const FORMATS = readdirSync(FIXTURES).filter((name) => name !== "own");

/** Databases are kept as the SQL that creates them. */
function buildDatabases(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".sql"))) {
    const database = new DatabaseSync(join(folder, name.replace(/sql$/, "db")), {
      enableForeignKeyConstraints: false,
    });
    database.exec(readFileSync(join(folder, name), "utf8"));
    database.close();
    rmSync(join(folder, name));
  }
}

describe.each(FORMATS)("the fixtures of %s", (format) => {
  it.each(["sqlite", "jsonl"])(
    "are read as that format and imported into %s completely, once, and verifiably",
    async (engine) => {
      const folder = tempFolder();
      const sources = join(folder, format);
      cpSync(join(FIXTURES, format), sources, { recursive: true });
      buildDatabases(sources);
      await using store = await openStore(`${engine}:${join(folder, "store")}`);
      const first = await importConversations(store, [sources]);
      expect(first.messages).toBeGreaterThan(0);
      expect([...new Set(first.imported.map((item) => item.format))]).toEqual([format]);
      expect(await importConversations(store, [sources], { verify: true })).toMatchObject({ missing: [] });
      expect(await importConversations(store, [sources])).toMatchObject({ messages: 0, branches: 0 });
      expect(await importConversations(store, [sources], { again: true })).toMatchObject({
        messages: 0,
        branches: 0,
      });
      expect((await store.verify()).findings).toEqual([]);
    },
    60_000,
  );
});
