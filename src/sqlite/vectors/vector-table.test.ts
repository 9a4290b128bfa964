import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { ClusteredVectors } from "../../../bench/recall/clustered-vectors.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openMemoryFile } from "../../memory/database/open.ts";
import { dot } from "./blob.ts";
import { loadVectorFunctions } from "./extension.ts";
import { VectorTable, vectorTableSql } from "./vector-table.ts";

const NAME = "memory_chunks_vec";

/** A table in a new file, searched with sqlite-vec or without it. */
async function opened(
  isFast: boolean,
): Promise<{ table: VectorTable; database: DatabaseSync; path: string }> {
  const path = join(tempFolder(), "memory.db");
  const database = await openMemoryFile(path);
  if (isFast) expect(await loadVectorFunctions(database)).toEqual({ isLoaded: true });
  return { table: new VectorTable(database, NAME, isFast), database, path };
}

describe.each([
  ["with sqlite-vec", true],
  ["in JavaScript", false],
])("vectors, searched %s", (_, isFast) => {
  it("are found by their direction, the closest first", async () => {
    const { table, database } = await opened(isFast);
    const space = table.space("compass@2", 2);
    const angles = [0, 30, 60, 90, 180].map((degrees) => (degrees * Math.PI) / 180);
    for (const [item, angle] of angles.entries()) {
      table.put(space, item, Float32Array.of(Math.cos(angle), Math.sin(angle)));
    }
    const found = table.search(space, Float32Array.of(1, 0), { limit: 3 });
    expect(found.map(({ item }) => item)).toEqual([0, 1, 2]);
    expect(found[1]?.score).toBeCloseTo(Math.cos((30 * Math.PI) / 180), 6);
    expect(table.search(space, Float32Array.of(1, 0), { limit: 100 })).toHaveLength(5);
    database.close();
  });

  it("are the same ones that comparing all of them finds", async () => {
    const { table, database } = await opened(isFast);
    const source = new ClusteredVectors(100, 20);
    const vectors = Array.from({ length: 2000 }, () => source.next());
    const space = table.space("topics@100", 100);
    database.exec("BEGIN");
    for (const [item, vector] of vectors.entries()) table.put(space, item, vector);
    database.exec("COMMIT");
    let hits = 0;
    for (let query = 0; query < 20; query++) {
      const wanted = source.next();
      const all = vectors.map((vector, item) => ({ item, score: dot(vector, wanted) }));
      const exact = all.sort((a, b) => b.score - a.score).slice(0, 10);
      const found = new Set(table.search(space, wanted, { limit: 10 }).map(({ item }) => item));
      hits += exact.filter(({ item }) => found.has(item)).length;
    }
    expect(hits).toBeGreaterThanOrEqual(isFast ? 196 : 200);
    database.close();
  });

  it("fulfil a condition before they are counted", async () => {
    const { table, database } = await opened(isFast);
    database.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, folder TEXT)");
    const source = new ClusteredVectors(16, 1);
    const space = table.space("s@16", 16);
    database.exec("BEGIN");
    for (let item = 1; item <= 900; item++) {
      table.put(space, item, source.next());
      database.prepare("INSERT INTO notes VALUES (?, ?)").run(item, item % 300 === 0 ? "rare" : "common");
    }
    database.exec("COMMIT");
    const where = { sql: "item IN (SELECT id FROM notes WHERE folder = ?)", values: ["rare"] };
    const found = table.search(space, source.next(), { limit: 10, where });
    expect(found.map(({ item }) => item).toSorted((a, b) => a - b)).toEqual([300, 600, 900]);
    database.close();
  });

  it("are found only in their space, and in every one until they are removed", async () => {
    const { table, database } = await opened(isFast);
    const [old, now] = [table.space("old@2", 2), table.space("new@2", 2)];
    table.put(old, 1, Float32Array.of(1, 0));
    table.put(now, 1, Float32Array.of(0, 1));
    table.put(now, 2, Float32Array.of(1, 0));
    expect(table.search(old, Float32Array.of(1, 0), { limit: 9 })).toEqual([{ item: 1, score: 1 }]);
    expect(table.search(now, Float32Array.of(1, 0), { limit: 1 })).toEqual([{ item: 2, score: 1 }]);
    table.remove(1);
    expect([table.count(old), table.count(now)]).toEqual([0, 1]);
    expect(table.search(old, Float32Array.of(1, 0), { limit: 9 })).toEqual([]);
    database.close();
  });

  it("are replaced by a newer one of the same item", async () => {
    const { table, database } = await opened(isFast);
    const space = table.space("s@2", 2);
    table.put(space, 7, Float32Array.of(1, 0));
    table.put(space, 7, Float32Array.of(0, 1));
    expect(table.search(space, Float32Array.of(0, 1), { limit: 9 })).toEqual([{ item: 7, score: 1 }]);
    expect(table.get(space, 7)).toEqual(Float32Array.of(0, 1));
    database.close();
  });

  it("of another length are refused, with both lengths", async () => {
    const { table, database } = await opened(isFast);
    const space = table.space("tiny@3", 3);
    const refused = expect.objectContaining({
      code: "VALIDATION_ERROR",
      field: "dimensions",
      message: expect.stringMatching(/2 dimensions does not fit tiny@3, whose vectors have 3/),
    });
    const short = Float32Array.of(1, 0);
    expect(() => table.put(space, 1, short)).toThrow(refused);
    expect(() => table.search(space, short, { limit: 1 })).toThrow(refused);
    expect(() => table.space("tiny@3", 2)).toThrow(refused);
    database.close();
  });

  it("that are damaged do not hide the others", async () => {
    const { table, database } = await opened(isFast);
    const space = table.space("s@2", 2);
    for (const item of [1, 2, 3]) table.put(space, item, Float32Array.of(1, 0));
    database.exec(`UPDATE ${NAME} SET vector = x'00' WHERE item = 1`);
    database.exec(`UPDATE ${NAME}_bits SET bits = x'0000' WHERE item = 2`);
    const found = table.search(space, Float32Array.of(1, 0), { limit: 9 }).map(({ item }) => item);
    expect(found).toEqual(isFast ? [3] : [2, 3]);
    database.close();
  });

  it("leave no bytes behind when they are removed", async () => {
    const { table, database, path } = await opened(isFast);
    const space = table.space("s@64", 64);
    const source = new ClusteredVectors(64, 3);
    const secret = source.next();
    table.put(space, 1, source.next());
    table.put(space, 2, secret);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const bytes = Buffer.from(secret.buffer);
    expect(readFileSync(path).includes(bytes)).toBe(true);
    table.remove(2);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(readFileSync(path).includes(bytes)).toBe(false);
    database.close();
  });
});

describe("sqlite-vec", () => {
  it("that cannot be loaded is reported with the reason", async () => {
    using database = new DatabaseSync(":memory:");
    const loaded = await loadVectorFunctions(database);
    expect(loaded).toEqual({
      isLoaded: false,
      reason: expect.stringMatching(/extension loading is not allowed/),
    });
    database.exec(vectorTableSql(NAME));
  });

  it("is the only extension that is ever loaded", async () => {
    const { database } = await opened(true);
    expect(() => database.loadExtension("/nonexistent/other")).toThrow(/not allowed|not authorized/);
    expect(() => database.exec("SELECT load_extension('/nonexistent/other')")).toThrow();
    database.close();
  });
});
