/**
 * Vectors in plain tables of SQLite.
 *
 * A search has two steps. The first compares one bit for each number, which
 * takes a thirtieth of the bytes and finds a few hundred candidates; the second
 * compares the candidates exactly. The first step needs sqlite-vec. Where it
 * cannot be loaded, all vectors are compared exactly, in JavaScript.
 *
 * The tables are plain rather than virtual ones of sqlite-vec: they can be read
 * and deleted from without the extension, `secure_delete` applies to them, any
 * condition on other tables can be part of the search, and the bits are found faster.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { invalid } from "../../errors.ts";
import { bitsOf, blobOf, dot, vectorOf } from "./blob.ts";
import { type Scored, Top } from "./top.ts";

/** Vectors that can be compared with each other. */
export interface Space {
  readonly id: number;
  /** A model and the length of its vectors, such as `nomic-embed-text@768`. */
  readonly name: string;
  readonly dimensions: number;
}

/** A condition on `item`, written by the code around the search, never by its users. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

export interface VectorQuery {
  readonly limit: number;
  /** Only items for which this is true. It is part of the search, so that it costs no results. */
  readonly where?: Condition | undefined;
}

/** Candidates for each result: enough to find 98 of 100 true neighbours, also in crowded places. */
const CANDIDATES_PER_RESULT = 20;
const CANDIDATES_MIN = 200;

/** The SQL of a new vector table. */
export function vectorTableSql(name: string): string {
  return `
    CREATE TABLE ${name}_spaces (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      dimensions INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE ${name} (
      id INTEGER PRIMARY KEY,
      space INTEGER NOT NULL REFERENCES ${name}_spaces,
      item INTEGER NOT NULL,
      vector BLOB NOT NULL,
      UNIQUE (item, space)
    ) STRICT;
    CREATE TABLE ${name}_bits (
      id INTEGER PRIMARY KEY REFERENCES ${name} ON DELETE CASCADE,
      space INTEGER NOT NULL,
      item INTEGER NOT NULL,
      bits BLOB NOT NULL
    ) STRICT;
  `;
}

export class VectorTable {
  readonly #database: DatabaseSync;
  readonly #name: string;
  readonly #isFast: boolean;
  readonly #statements = new Map<string, StatementSync>();

  /** `isFast`: whether sqlite-vec is loaded. */
  constructor(database: DatabaseSync, name: string, isFast: boolean) {
    this.#database = database;
    this.#name = name;
    this.#isFast = isFast;
  }

  /** The space of this name, which is made when there is none. Its dimensions never change. */
  space(name: string, dimensions: number): Space {
    const found = this.findSpace(name);
    if (found === undefined) {
      const sql = `INSERT INTO ${this.#name}_spaces (name, dimensions) VALUES (?, ?)`;
      return { id: Number(this.#prepared(sql).run(name, dimensions).lastInsertRowid), name, dimensions };
    }
    checkLength(found, dimensions);
    return found;
  }

  findSpace(name: string): Space | undefined {
    const row = this.#prepared(`SELECT id, dimensions FROM ${this.#name}_spaces WHERE name = ?`).get(name);
    if (row === undefined) return undefined;
    return { id: Number(row.id), name, dimensions: Number(row.dimensions) };
  }

  spaces(): Space[] {
    const rows = this.#prepared(`SELECT id, name, dimensions FROM ${this.#name}_spaces ORDER BY id`).all();
    return rows.map(({ id, name, dimensions }) => ({
      id: Number(id),
      name: String(name),
      dimensions: Number(dimensions),
    }));
  }

  /** Remove a space and its vectors. */
  removeSpace({ id }: Space): void {
    this.#prepared(`DELETE FROM ${this.#name} WHERE space = ?`).run(id);
    this.#prepared(`DELETE FROM ${this.#name}_spaces WHERE id = ?`).run(id);
  }

  /** Keep a vector of length 1. It replaces the one that the item has in this space. */
  put(space: Space, item: number, vector: Float32Array): void {
    checkLength(space, vector.length);
    this.#prepared(`DELETE FROM ${this.#name} WHERE item = ? AND space = ?`).run(item, space.id);
    const id = this.#prepared(`INSERT INTO ${this.#name} (space, item, vector) VALUES (?, ?, ?)`).run(
      space.id,
      item,
      blobOf(vector),
    ).lastInsertRowid;
    this.#prepared(`INSERT INTO ${this.#name}_bits (id, space, item, bits) VALUES (?, ?, ?, ?)`).run(
      id,
      space.id,
      item,
      bitsOf(vector),
    );
  }

  get(space: Space, item: number): Float32Array | undefined {
    const sql = `SELECT vector FROM ${this.#name} WHERE item = ? AND space = ?`;
    return vectorOf(this.#prepared(sql).get(item, space.id)?.vector);
  }

  /** Remove the vectors of an item in every space. */
  remove(item: number): void {
    this.#prepared(`DELETE FROM ${this.#name} WHERE item = ?`).run(item);
  }

  count(space: Space): number {
    return Number(
      this.#prepared(`SELECT count(*) AS n FROM ${this.#name}_bits WHERE space = ?`).get(space.id)?.n,
    );
  }

  /** The items whose vectors are closest to this one, best first. */
  search(space: Space, vector: Float32Array, query: VectorQuery): readonly Scored[] {
    checkLength(space, vector.length);
    const top = new Top(query.limit);
    const rows = this.#isFast ? this.#candidates(space, vector, query) : this.#all(space, query);
    for (const { item, vector: blob } of rows) {
      const other = vectorOf(blob);
      // A damaged vector is not found; everything else is.
      if (other?.length === space.dimensions) top.add(Number(item), dot(vector, other));
    }
    return top.best;
  }

  #candidates(space: Space, vector: Float32Array, { limit, where }: VectorQuery): Iterable<Row> {
    const sql = `
      SELECT v.item, v.vector FROM (
        SELECT id FROM ${this.#name}_bits WHERE space = ? AND length(bits) = ? ${and(where)}
        ORDER BY vec_distance_hamming(vec_bit(?), vec_bit(bits)) LIMIT ?
      ) AS b JOIN ${this.#name} AS v ON v.id = b.id`;
    const bits = bitsOf(vector);
    const count = Math.max(CANDIDATES_MIN, limit * CANDIDATES_PER_RESULT);
    return this.#prepared(sql).iterate(
      space.id,
      bits.length,
      ...(where?.values ?? []),
      bits,
      count,
    ) as Iterable<Row>;
  }

  #all(space: Space, { where }: VectorQuery): Iterable<Row> {
    const sql = `SELECT item, vector FROM ${this.#name} WHERE space = ? ${and(where)}`;
    return this.#prepared(sql).iterate(space.id, ...(where?.values ?? [])) as Iterable<Row>;
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

interface Row {
  readonly item: number | bigint;
  readonly vector: unknown;
}

function and(where: Condition | undefined): string {
  return where === undefined ? "" : `AND (${where.sql})`;
}

function checkLength({ name, dimensions }: Space, length: number): void {
  if (length === dimensions) return;
  throw invalid(
    `A vector of ${length} dimensions does not fit ${name}, whose vectors have ${dimensions}: choose another model, or the dimensions it was used with`,
    "dimensions",
    { expected: dimensions, actual: length },
  );
}
