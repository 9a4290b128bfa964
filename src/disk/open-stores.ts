/**
 * The files of the stores that this process has open. No code but their engine may open them.
 *
 * A process loses its locks on a file when it closes any descriptor of that file, in any thread. Another process
 * would then take itself for the only user of the store, and remove a log that this one still writes to.
 */
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { ColloquyError } from "../errors.ts";

interface OpenStore {
  readonly path: string;
  readonly isFolder: boolean;
}

const stores: Set<OpenStore> = new Set();

/** Call it before the store is opened. The function that it returns ends it, after the store was closed. */
export function announceStore(path: string, isFolder: boolean): () => void {
  const store = { path: resolve(path), isFolder };
  stores.add(store);
  return () => {
    stores.delete(store);
  };
}

/** The path of the open store that a file or folder belongs to, by its name or by another name of the same file. */
export function openStoreOf(path: string): string | undefined {
  if (stores.size === 0) return undefined;
  const real = realPath(path);
  for (const store of stores) if (isNamed(store, real)) return store.path;
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found?.isFile() !== true) return undefined;
  for (const store of stores) {
    for (const name of lockedFiles(store)) {
      const other = statSync(name, { bigint: true, throwIfNoEntry: false });
      if (other?.ino === found.ino && other.dev === found.dev) return store.path;
    }
  }
  return undefined;
}

/** Throws if a file belongs to an open store. `field` is the argument that names it. */
export function refuseOpenStore(path: string, field: string, advice: string): void {
  const store = openStoreOf(path);
  if (store === undefined) return;
  const which = store === resolve(path) ? "is a store" : `belongs to the store ${store}`;
  throw new ColloquyError("VALIDATION_ERROR", `${path} ${which} that this process has open. ${advice}`, {
    field,
    details: { store },
  });
}

/**
 * The inodes of files on which this process has locks, also from stores that another thread has opened
 * and from databases that are not ours. Only Linux lists them.
 */
export function lockedInodes(): ReadonlySet<bigint> {
  const inodes = new Set<bigint>();
  try {
    for (const line of readFileSync("/proc/locks", "utf8").split("\n")) {
      const [, kind, , , pid, file] = line.trim().split(/\s+/);
      const inode = file?.split(":")[2];
      if (kind === "POSIX" && Number(pid) === process.pid && inode !== undefined) inodes.add(BigInt(inode));
    }
  } catch {
    // Not Linux.
  }
  return inodes;
}

/** What follows the path of a SQLite store in the names of its files. */
const FILE_NAMES =
  /^(?:-wal|-shm|-journal|-alive(?:\/.*)?|-(?:imports|search)(?:-wal|-shm|-journal|\..*)?)?$/;

function isNamed({ path, isFolder }: OpenStore, real: string): boolean {
  return [path, realPath(path)].some((own) => {
    if (isFolder) return real === own || real.startsWith(own + sep);
    return real.startsWith(own) && FILE_NAMES.test(real.slice(own.length).replaceAll(sep, "/"));
  });
}

/** Files with locks. Those that do not exist yet have no other name. */
function lockedFiles({ path, isFolder }: OpenStore): string[] {
  const ledger = isFolder ? join(path, "imports.db") : `${path}-imports`;
  const search = isFolder ? join(path, "search.db") : `${path}-search`;
  const own = isFolder ? [join(path, "store.lock")] : ["", "-wal", "-shm"].map((end) => path + end);
  const alive = isFolder ? join(path, "alive") : `${path}-alive`;
  return [
    ...own,
    ...["", "-wal", "-shm", ".lock"].map((end) => ledger + end),
    ...["", "-wal", "-shm"].map((end) => search + end),
    ...namesIn(alive).map((name) => join(alive, name)),
  ];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Without links. The file itself need not exist. */
function realPath(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync.native(full);
  } catch {
    const folder = dirname(full);
    return folder === full ? full : join(realPath(folder), basename(full));
  }
}
