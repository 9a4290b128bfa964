/**
 * The rows of the last list, so that `#3` can refer to the third one.
 *
 * Kept in the state folder, for a few terminals. It is a convenience: a list that
 * cannot be written is not remembered, and one that cannot be read is none
 * (docs/decisions/033). A list writes one file and reads none, to stay fast.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ColloquyError } from "../../errors.ts";
import { isPlainObject } from "../../util/json.ts";
import type { Call } from "../command.ts";
import { nextCommand } from "../invocation.ts";
import { type StoreTarget, stateFolder, storeTarget } from "./store-target.ts";

const FOLDER_NAME = "last-lists";
/** Terminals share these files, so that they need not be cleaned up. */
const FILES = 8;

interface RememberedList {
  readonly terminal: string;
  readonly store: string;
  readonly ids: readonly string[];
}

/** Remember the rows that a list has shown. */
export function rememberList({ values }: Call, target: StoreTarget, ids: readonly string[]): void {
  const terminal = terminalOf();
  const list: RememberedList = { terminal, store: placeOf(target), ids };
  const folder = join(stateFolder(values), FOLDER_NAME);
  const write = (): void => {
    writeFileSync(join(folder, fileOf(terminal)), JSON.stringify(list), { mode: 0o600 });
  };
  try {
    write();
  } catch {
    // Mostly because this is the first list.
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      write();
    } catch {
      // The list was shown all the same.
    }
  }
}

/** The id of the conversation in a row of the last list of this terminal, or of any if this one has none. */
export function rowOf(call: Call, row: number): string {
  const list = lastList(join(stateFolder(call.values), FOLDER_NAME));
  const again = nextCommand("sessions list", call.values);
  if (list === undefined) throw noRow(`#${row} refers to a row of the last list. List first: ${again}`);
  if (list.store !== placeOf(storeTarget(call.values))) {
    throw noRow(`#${row} refers to the last list, which was of ${list.store}. List again: ${again}`);
  }
  const id = list.ids[row - 1];
  if (id === undefined) throw noRow(`The last list has no row ${row}. List again: ${again}`);
  return id;
}

function noRow(message: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", message, { field: "id" });
}

function placeOf({ engine, path, text }: StoreTarget): string {
  return path === null ? text : `${engine}:${path}`;
}

function lastList(folder: string): RememberedList | undefined {
  const terminal = terminalOf();
  const own = readList(join(folder, fileOf(terminal)));
  if (own?.terminal === terminal) return own;
  const newestFirst = Array.from({ length: FILES }, (_, index) => join(folder, `${index}.json`))
    .map((path) => ({ path, atMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.atMs - a.atMs);
  return newestFirst.map(({ path }) => readList(path)).find((list) => list !== undefined);
}

function readList(path: string): RememberedList | undefined {
  try {
    const list: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isList(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

function fileOf(terminal: string): string {
  const sum = [...terminal].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return `${sum % FILES}.json`;
}

function isList(value: unknown): value is RememberedList {
  if (!isPlainObject(value)) return false;
  const { terminal, store, ids } = value;
  return typeof terminal === "string" && typeof store === "string" && Array.isArray(ids);
}

/** The session of this process, where the system tells, or what the terminal program calls it. */
function terminalOf(): string {
  const named = process.env.TERM_SESSION_ID ?? process.env.WT_SESSION;
  if (named !== undefined) return named;
  try {
    // The name of the program, in parentheses, may contain spaces. Then: state, parent, group, session.
    return `session ${readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ")[3]}`;
  } catch {
    return "";
  }
}
