import type { DatabaseSync } from "node:sqlite";
import type { Finding } from "../../queries.ts";
import { readImage } from "./image.ts";
import { newDatabase } from "./new-database.ts";
import { rebuild } from "./rebuild.ts";
import { salvage } from "./salvaged.ts";

export { catchUp } from "./catch-up.ts";

export interface SalvagedView {
  readonly database: DatabaseSync;
  readonly lost: readonly Finding[];
}

/** A store in memory with everything that can be read of a damaged one. `undefined` if that is nothing. */
export function salvagedView(path: string): SalvagedView | undefined {
  const found = salvage(readImage(path));
  if (found.rows.conversations.length + found.rows.entries.length === 0) return undefined;
  const database = newDatabase(":memory:");
  const { findings } = rebuild(database, found, undefined, path);
  return { database, lost: findings };
}
