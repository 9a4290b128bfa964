import { statSync } from "node:fs";
import type { Counts } from "../../queries.ts";
import type { Statements } from "../statements.ts";

/** From the rows of the conversations alone. */
export function countStore(sql: Statements, path: string): Counts {
  const [conversations = 0, messages = 0] = sql.counts.get<[number, number]>() ?? [];
  const fileSize = (name: string): number => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  return { conversations, messages, bytes: fileSize(path) + fileSize(`${path}-wal`) };
}
