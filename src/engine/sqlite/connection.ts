import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../sqlite/open.ts";
import type { EngineOptions } from "../engine.ts";
import type { Damage } from "./damage.ts";
import { Infos } from "./log/infos.ts";
import { APPLICATION_ID, migrations } from "./migrations/migrations.ts";
import { prepareStatements, type Statements } from "./statements.ts";
import { defineRowSum } from "./sums.ts";
import { Tables } from "./tables.ts";
import { Transactions } from "./transactions.ts";

/** One connection to the file, and what is prepared for it. */
export class Connection {
  readonly database: DatabaseSync;
  readonly sql: Statements;
  readonly transactions: Transactions;
  readonly infos: Infos;
  readonly tables: Tables;

  constructor(location: string, database: DatabaseSync, { lockWaitMs }: EngineOptions, damage: Damage) {
    defineRowSum(database);
    this.database = database;
    this.sql = prepareStatements(database);
    this.transactions = new Transactions(database, this.sql, location, lockWaitMs);
    this.infos = new Infos(this.sql, damage.damaged);
    this.tables = new Tables({ database, sql: this.sql, infos: this.infos, location, damage });
  }

  close(): void {
    this.tables.close();
    this.database.close();
  }
}

export function connect(path: string, options: EngineOptions): Promise<DatabaseSync> {
  return openDatabase(path, {
    readonly: options.readonly,
    synchronous: options.durability === "full" ? "FULL" : "NORMAL",
    applicationId: APPLICATION_ID,
    migrations,
    lockWaitMs: options.lockWaitMs,
  });
}
