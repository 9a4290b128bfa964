/** Records of the files of a set, read strictly: a typing mistake in a set must not become a bad figure. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ColloquyError, invalid, unavailable } from "../../src/errors.ts";
import { isPlainObject, parseJson } from "../../src/util/json.ts";

export interface SetRecord {
  /** File and line, for messages. */
  readonly place: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The `.jsonl` files of a folder, in the order of their names. */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(folder, name));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw unavailable(`Cannot read ${folder}: ${message}`);
    throw new ColloquyError(
      "NOT_FOUND",
      `There is no folder ${folder}. A set has conversations/ and questions/`,
      {
        details: { folder },
      },
    );
  }
}

/** The records of a file, one a line. Blank lines are skipped. */
export function recordsOf(file: string): SetRecord[] {
  const records: SetRecord[] = [];
  for (const [index, line] of textOf(file).split("\n").entries()) {
    if (line.trim() === "") continue;
    const place = `${file}:${index + 1}`;
    const values = parseJson(line);
    if (!isPlainObject(values))
      throw invalid(`${place}: expected a JSON object on one line`, "line", { place });
    records.push({ place, values });
  }
  return records;
}

function textOf(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw unavailable(`Cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid(`${file} is not UTF-8`, "file", { file });
  }
}

/** Refuse properties that are missing or unknown. */
export function checkNames(
  { place, values }: SetRecord,
  required: readonly string[],
  optional: readonly string[],
): void {
  const missing = required.find((name) => values[name] === undefined);
  if (missing !== undefined) throw invalid(`${place}: "${missing}" is missing`, missing, { place });
  const unknown = Object.keys(values).find((name) => !required.includes(name) && !optional.includes(name));
  if (unknown !== undefined) throw invalid(`${place}: unknown property "${unknown}"`, unknown, { place });
}

/** A string that is not blank. */
export function filled(record: SetRecord, name: string): string {
  const value = record.values[name];
  if (typeof value === "string" && value.trim() !== "") return value;
  throw wrong(record, name, "a string that is not empty");
}

export function optionalText(record: SetRecord, name: string): string | undefined {
  return record.values[name] === undefined ? undefined : filled(record, name);
}

export function wrong({ place, values }: SetRecord, name: string, expected: string): ColloquyError {
  const found = JSON.stringify(values[name])?.slice(0, 60);
  return invalid(`${place}: "${name}" must be ${expected}, not ${found}`, name, { place });
}
