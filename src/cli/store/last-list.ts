/**
 * The rows of the last list, so that `#3` can refer to the third one.
 *
 * Kept in the state folder, for each of the last terminals. It is a convenience:
 * a list that cannot be written is not remembered, and one that cannot be read is
 * none (docs/decisions/033).
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ColloquyError } from "../../errors.ts";
import { isPlainObject } from "../../util/json.ts";
import type { Call } from "../command.ts";
import { nextCommand } from "../invocation.ts";
import { type StoreTarget, stateFolder, storeTarget } from "./store-target.ts";

const FILE_NAME = "last-lists.json";
const TERMINALS_MAX = 8;

interface RememberedList {
  readonly terminal: string;
  readonly store: string;
  readonly ids: readonly string[];
}

/** Remember the rows that a list has shown. */
export function rememberList({ values }: Call, target: StoreTarget, ids: readonly string[]): void {
  const folder = stateFolder(values);
  const list: RememberedList = { terminal: terminalOf(), store: placeOf(target), ids };
  const others = readLists(folder).filter(({ terminal }) => terminal !== list.terminal);
  const draft = join(folder, `.${FILE_NAME}.${process.pid}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(draft, JSON.stringify([list, ...others].slice(0, TERMINALS_MAX)), { mode: 0o600 });
    renameSync(draft, join(folder, FILE_NAME));
  } catch {
    rmSync(draft, { force: true });
  }
}

/** The id of the conversation in a row of the last list of this terminal, or of any if this one has none. */
export function rowOf(call: Call, row: number): string {
  const lists = readLists(stateFolder(call.values));
  const list = lists.find(({ terminal }) => terminal === terminalOf()) ?? lists[0];
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

function readLists(folder: string): RememberedList[] {
  try {
    const lists = JSON.parse(readFileSync(join(folder, FILE_NAME), "utf8"));
    return Array.isArray(lists) ? lists.filter(isList) : [];
  } catch {
    return [];
  }
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
