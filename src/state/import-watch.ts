/** What a watching import leaves in the state folder, so that the doctor can tell whether it works. */
import { join } from "node:path";
import { systemIo } from "../disk/file-io.ts";
import { SqliteFileLock } from "../disk/file-lock.ts";
import { isPlainObject } from "../util/json.ts";
import { systemRandom } from "../util/uuid.ts";
import { readPrivate, writePrivate } from "./private-file.ts";

export interface ImportWatch {
  readonly paths: readonly string[];
  /** It was set up as a service, so that it should be running. */
  readonly isService: boolean;
  /** The command that enables the service. */
  readonly enable: string | null;
  readonly startedAt: string | null;
  /** The last pass that added something. */
  readonly addedAt: string | null;
  /** Why it ended. */
  readonly error: string | null;
}

export const IMPORT_LOG = "import.log";
const RECORD = "import-watch.json";
const LOCK = "import-watch.lock";

/** `undefined` if no import has watched with this state folder, or its record cannot be read. */
export function readImportWatch(stateDir: string): ImportWatch | undefined {
  const bytes = readPrivate(systemIo, join(stateDir, RECORD));
  const value: unknown = bytes === undefined ? undefined : parsed(bytes.toString());
  if (!isPlainObject(value)) return undefined;
  const textOf = (text: unknown): string | null => (typeof text === "string" ? text : null);
  return {
    paths: Array.isArray(value.paths) ? value.paths.map(String) : [],
    isService: value.isService === true,
    enable: textOf(value.enable),
    startedAt: textOf(value.startedAt),
    addedAt: textOf(value.addedAt),
    error: textOf(value.error),
  };
}

export function writeImportWatch(stateDir: string, watch: ImportWatch): void {
  writePrivate(systemIo, systemRandom, join(stateDir, RECORD), `${JSON.stringify(watch, null, 2)}\n`);
}

/** Held while an import watches: the kernel releases it, however the process ends. */
export function importWatchLock(stateDir: string): SqliteFileLock {
  return new SqliteFileLock(join(stateDir, LOCK));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
