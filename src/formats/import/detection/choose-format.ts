/** Chooses the format of a file by its content, and by its path only where the content says too little. */
import type { JsonObject } from "../../../util/json.ts";
import type { SourceDatabase } from "../../contract/reader.ts";
import { FORMATS } from "../../readers/index.ts";
import { problemOf } from "../../sources/problem.ts";
import type { Candidates, WithDatabase, WithDocument, WithLines } from "./candidates.ts";

/** The values that `--from` takes. */
export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name).sort();

/** Files of SQLite beside a database. */
const DATABASE_COMPANION = /-(?:wal|shm|journal)$/;

/** Whether a file belongs to another one and is read with it. */
export function isCompanion(path: string): boolean {
  return DATABASE_COMPANION.test(path) || FORMATS.some(({ companions }) => companions?.test(path) === true);
}

export function linesFormat(
  records: readonly JsonObject[],
  path: string,
  { lines, isChosen }: Candidates,
): WithLines | undefined {
  return lines.find((format) => isChosen || format.lines.sniff(records, path));
}

/** The first format that any of the values belongs to. */
export function documentFormat(
  values: readonly JsonObject[],
  { documents, isChosen }: Candidates,
): WithDocument | undefined {
  return documents.find(({ document }) => isChosen || values.some((value) => document.sniff(value)));
}

/** A table that cannot be read only matters if no format does without it. */
export function databaseFormat(
  database: SourceDatabase,
  { databases }: Candidates,
): WithDatabase | undefined {
  let refusal: { readonly error: unknown } | undefined;
  for (const format of databases) {
    try {
      if (format.database.sniff(database)) return format;
    } catch (error) {
      if (problemOf(error) !== "unsupported") throw error;
      refusal ??= { error };
    }
  }
  if (refusal !== undefined) throw refusal.error;
  return undefined;
}
