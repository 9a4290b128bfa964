import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { invalid } from "../../errors.ts";
import { resolveStateDir } from "../../state/folder.ts";

/** The store that a command works on. */
export interface StoreTarget {
  /** As `openStore` accepts it. */
  readonly text: string;
  readonly engine: string;
  /** The file or folder; `null` when the engine has none. */
  readonly path: string | null;
  /** Named by the user. If it is missing, that is an error rather than an empty store. */
  readonly named: boolean;
  readonly missing: boolean;
}

type Values = ReadonlyMap<string, string>;

/** `--state-dir`, `--profile`, `COLLOQUY_STATE_DIR`, or `~/.colloquy`. */
export function stateFolder(values: Values): string {
  const [flag, profile] = [values.get("state-dir"), values.get("profile")];
  return resolveStateDir({ flag, profile, env: process.env, home: homedir() });
}

/** `--store`, `COLLOQUY_STORE`, or the SQLite file in the state folder. */
export function storeTarget(values: Values): StoreTarget {
  const wanted = values.get("store") ?? (process.env.COLLOQUY_STORE || undefined);
  if (wanted === undefined) return described("sqlite", join(stateFolder(values), "conversations.db"), false);
  const [, engine, place] = /^([a-z]{2,}):(.*)$/s.exec(wanted) ?? fromPath(wanted);
  if (engine === "ephemeral") {
    throw invalid("ephemeral: keeps nothing after the command; use sqlite:FILE or jsonl:FOLDER", "store");
  }
  if (engine !== "sqlite" && engine !== "jsonl") {
    // `openStore` reports the problem.
    return { text: wanted, engine: engine ?? "", path: null, named: true, missing: false };
  }
  if (place === undefined || place === "") {
    throw invalid(`${engine}: requires a path, such as ${engine}:./agent`, "store");
  }
  return described(engine, fromHome(place), true);
}

function described(engine: string, place: string, named: boolean): StoreTarget {
  return { text: `${engine}:${place}`, engine, path: resolve(place), named, missing: !existsSync(place) };
}

/** A bare path, if it can belong to one engine only. */
function fromPath(wanted: string): readonly [string, string, string] {
  const place = fromHome(wanted);
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder && existsSync(join(place, "store.json"))) return [wanted, "jsonl", place];
  if (!isFolder && /\.(db|sqlite)$/i.test(place)) return [wanted, "sqlite", place];
  throw invalid(`Cannot tell the engine of "${wanted}"; use sqlite:${wanted} or jsonl:${wanted}`, "store");
}

/** A shell expands `~` at the start of a word only, not after `sqlite:`. */
function fromHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
