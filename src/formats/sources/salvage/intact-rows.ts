/** Rows of a SQLite file, and of a damaged one those that are intact. */
import type { DatabaseSync } from "node:sqlite";
import { serialize } from "node:v8";
import { sha256Hex } from "../../../util/sha256.ts";
import type { Row } from "../database-rows.ts";
import type { LimitedRows } from "../limited-rows.ts";
import { problemOf } from "../problem.ts";
import { SalvagedTables } from "./salvaged-tables.ts";

export class IntactRows {
  readonly #database: DatabaseSync;
  readonly #rows: LimitedRows;
  readonly #shown: string;
  /** Those whose columns were asked for: a reader does that before it asks for rows. */
  readonly #tables: () => readonly string[];
  #salvaged: SalvagedTables | undefined;

  constructor(database: DatabaseSync, rows: LimitedRows, shown: string, tables: () => readonly string[]) {
    this.#database = database;
    this.#rows = rows;
    this.#shown = shown;
    this.#tables = tables;
  }

  get isDamaged(): boolean {
    return this.#salvaged !== undefined;
  }

  /** What could not be read so far, in words. */
  get lost(): readonly string[] {
    return this.#salvaged === undefined
      ? []
      : ["is damaged: what is intact was read", ...this.#salvaged.lost];
  }

  *rows(sql: string, values: readonly (string | number)[]): Generator<Row> {
    if (this.#salvaged !== undefined) return yield* this.#intact(this.#salvaged, sql, values);
    let read = 0;
    try {
      for (const row of this.#rows.rows(sql, values)) {
        read++;
        yield row;
      }
    } catch (error) {
      if (problemOf(error) !== "damaged" || this.#tables().length === 0) throw error;
      this.#salvaged ??= new SalvagedTables(this.#database, this.#rows, this.#shown);
      const known = this.#first(read, sql, values);
      for (const row of this.#intact(this.#salvaged, sql, values)) {
        if (!known.delete(digestOf(row))) yield row;
      }
    }
  }

  close(): void {
    this.#salvaged?.close();
  }

  #intact(salvaged: SalvagedTables, sql: string, values: readonly (string | number)[]): Generator<Row> {
    for (const table of this.#tables()) salvaged.add(table);
    return salvaged.rows(sql, values);
  }

  /** The rows before the damage are read again: until it was met, nothing had to be known of them. */
  #first(count: number, sql: string, values: readonly (string | number)[]): Set<string> {
    const digests = new Set<string>();
    let left = count;
    const rows = this.#rows.rows(sql, values);
    while (left-- > 0) digests.add(digestOf(rows.next().value));
    rows.return(undefined);
    return digests;
  }
}

function digestOf(row: Row): string {
  return sha256Hex(serialize(row));
}
