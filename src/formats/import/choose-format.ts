/** Chooses the format of a file by its content, and by its path only where the content says too little. */
import type { JsonObject } from "../../util/json.ts";
import type { FormatDeclaration } from "../contract/format.ts";
import type { SourceDatabase } from "../contract/reader.ts";
import { FORMATS } from "../readers/index.ts";
import { problemOf } from "../sources/problem.ts";

type With<Kind extends "lines" | "document" | "database"> = FormatDeclaration &
  Required<Pick<FormatDeclaration, Kind>>;
export type WithLines = With<"lines">;
export type WithDocument = With<"document">;
export type WithDatabase = With<"database">;

const LINES = FORMATS.filter((format): format is WithLines => format.lines !== undefined);
const DOCUMENTS = FORMATS.filter((format): format is WithDocument => format.document !== undefined);
const DATABASES = FORMATS.filter((format): format is WithDatabase => format.database !== undefined);

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
  wanted: string | undefined,
): WithLines | undefined {
  return LINES.find(({ name, lines }) =>
    wanted === undefined ? lines.sniff(records, path) : name === wanted,
  );
}

/** The first format that any of the values belongs to. */
export function documentFormat(
  values: readonly JsonObject[],
  wanted: string | undefined,
): WithDocument | undefined {
  return DOCUMENTS.find(({ name, document }) =>
    wanted === undefined ? values.some((value) => document.sniff(value)) : name === wanted,
  );
}

/** A table that cannot be read only matters if no format does without it. */
export function databaseFormat(
  database: SourceDatabase,
  wanted: string | undefined,
): WithDatabase | undefined {
  let refusal: { readonly error: unknown } | undefined;
  for (const format of DATABASES) {
    if (wanted !== undefined && format.name !== wanted) continue;
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
