import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getLoadablePath } from "sqlite-vec";
import { PAGE_BYTES } from "../../src/sqlite/open.ts";
import { blobOf } from "../../src/sqlite/vectors/blob.ts";
import { type Space, VectorTable, vectorTableSql } from "../../src/sqlite/vectors/vector-table.ts";
import { alternate, type BenchRow, report, sized, timed } from "../harness.ts";
import { atMost } from "../rows.ts";
import { ClusteredVectors } from "./clustered-vectors.ts";

const DIMENSIONS = 1536;
const COUNT = sized(100_000, 500);
const TOPICS = sized(500, 10);
const QUERIES = sized(50, 2);
const LIMIT = 10;

/** The nearest of many vectors, against comparing all of them with sqlite-vec. */
export async function vectors(folder: string): Promise<BenchRow[]> {
  const database = new DatabaseSync(join(folder, "vectors.db"), { allowExtension: true });
  database.loadExtension(getLoadablePath());
  const source = new ClusteredVectors(DIMENSIONS, TOPICS);
  const { table, space } = fill(database, source);
  const queries = Array.from({ length: QUERIES }, () => source.next());
  const bare = database.prepare("SELECT rowid FROM bare WHERE vector MATCH ? AND k = ?");
  const ours = (query: Float32Array): number[] =>
    table.search(space, query, { limit: LIMIT }).map(({ item }) => item);
  const theirs = (query: Float32Array): number[] =>
    bare.all(blobOf(query), LIMIT).map(({ rowid }) => Number(rowid));
  const at = (index: number): Float32Array => queries[index % queries.length] as Float32Array;
  const times = await alternate(
    {
      ours: () => timed(10, (index) => ours(at(index))),
      bare: () => timed(3, (index) => theirs(at(index))),
    },
    5,
  );
  const found = queries.map((query) => {
    const exact = new Set(theirs(query));
    return ours(query).filter((item) => exact.has(item)).length;
  });
  const recall = found.reduce((sum, count) => sum + count, 0) / (QUERIES * LIMIT);
  database.close();
  const what = `top ${LIMIT} of ${COUNT.toLocaleString("en")} vectors of ${DIMENSIONS}`;
  return [
    atMost(`${what}, against float32 brute force in sqlite-vec`, times.ours, times.bare, 0.2),
    report({
      work: `recall of these against brute force`,
      ours: recall.toFixed(3),
      bare: "1",
      value: recall.toFixed(3),
      reach: "≥ 0.98",
      ok: recall >= 0.98,
    }),
  ];
}

function fill(database: DatabaseSync, source: ClusteredVectors): { table: VectorTable; space: Space } {
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`);
  database.exec(vectorTableSql("ours"));
  database.exec(`CREATE VIRTUAL TABLE bare USING vec0(vector float[${DIMENSIONS}] distance_metric=cosine)`);
  const table = new VectorTable(database, "ours", true);
  const insert = database.prepare("INSERT INTO bare (rowid, vector) VALUES (?, ?)");
  database.exec("BEGIN");
  const space = table.space(`bench@${DIMENSIONS}`, DIMENSIONS);
  for (let item = 1; item <= COUNT; item++) {
    const vector = source.next();
    table.put(space, item, vector);
    // The keys of virtual tables must be BigInt: numbers are bound as REAL.
    insert.run(BigInt(item), blobOf(vector));
  }
  database.exec("COMMIT");
  return { table, space };
}
