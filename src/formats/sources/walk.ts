/** Finds files below folders and in archives. */
import type { BigIntStats, Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { lockedInodes, openStoreOf } from "../../disk/open-stores.ts";
import type { Surroundings } from "../contract/reader.ts";
import { firstBytes, MAGIC_BYTES, openBytes } from "./byte-source.ts";
import { fileChunks, openFile } from "./file-bytes.ts";
import { reasonOf } from "./problem.ts";
import { inFolder, isWithin } from "./surroundings.ts";
import type { ByteSource, SourceFile, WalkOptions } from "./types.ts";
import { isZip } from "./zip.ts";
import { walkZip } from "./zip-walk.ts";

/** Large folders in which no tool keeps conversations. */
const PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * The names of what can be imported, also with something behind them. Linked files with other names are not looked
 * into and not worth a report: tools keep links to programs beside their conversations.
 */
const IMPORTABLE = /\.(?:jsonl?|db|sqlite3?|zip|zst|gz)(?:\W|$)/i;

/** The size of the end record of a zip. */
const ZIP_BYTES_MIN = 22;

/** A folder on the way down. */
interface Level {
  readonly path: string;
  readonly names: readonly Dirent[];
  next: number;
}

/**
 * The files below the given files and folders, sorted by name, each once
 * even if several paths lead to it. A zip is replaced by its members.
 *
 * A given path may be a symbolic link; links below it are not followed, because they may lead anywhere. Those that
 * lead to another given folder need not be, and of the others,
 * those are problems that may lead to conversations.
 */
export async function* walk(paths: readonly string[], options: WalkOptions): AsyncGenerator<SourceFile> {
  const given = await Promise.all(paths.map((path) => realpath(path).catch(() => path)));
  const walker = new Walker(given, options);
  for (const root of paths) yield* walker.root(root);
}

class Walker {
  readonly #options: WalkOptions;
  readonly #locked: ReadonlySet<bigint> = lockedInodes();
  readonly #seen: Set<string> = new Set();

  /** The real paths of the given ones. */
  readonly #given: readonly string[];

  constructor(given: readonly string[], options: WalkOptions) {
    this.#given = given;
    this.#options = options;
  }

  async *root(root: string): AsyncGenerator<SourceFile> {
    const found = await this.#look(root);
    if (found === undefined) return;
    const base = await realpath(found.isDirectory() ? root : dirname(root));
    if (!found.isDirectory()) return yield* this.#file(root, root, found, base);
    const levels: Level[] = [];
    await this.#enter(root, found, levels);
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      this.#options.signal?.throwIfAborted();
      const entry = level.names[level.next++];
      if (entry === undefined) levels.pop();
      else yield* this.#entry(root, base, entry, levels);
    }
  }

  async *#entry(root: string, base: string, entry: Dirent, levels: Level[]): AsyncGenerator<SourceFile> {
    const path = join((levels.at(-1) as Level).path, entry.name);
    const found = await this.#look(path);
    if (found === undefined) return;
    if (entry.isSymbolicLink()) return this.#link(path, found);
    if (!found.isDirectory()) return yield* this.#file(root, path, found, base);
    if (!PASSED_OVER.has(entry.name)) await this.#enter(path, found, levels);
  }

  async #link(path: string, found: BigIntStats): Promise<void> {
    if (found.isSocket()) return;
    const target = await realpath(path).catch(() => undefined);
    if (target === undefined || this.#given.some((given) => isWithin(target, given))) return;
    if (found.isFile() && ![path, target].some((name) => IMPORTABLE.test(basename(name)))) return;
    if (target.split(sep).some((name) => PASSED_OVER.has(name))) return;
    const reason = "is a symbolic link that leads out of the imported folder. To include it, name it as well";
    this.#options.onProblem(path, reason);
  }

  /** The target of a path. A broken or circular link is a problem. */
  async #look(path: string): Promise<BigIntStats | undefined> {
    try {
      return await stat(path, { bigint: true });
    } catch (error) {
      this.#options.onProblem(path, isUndecoded(path, error) ? UNDECODED : reasonOf(error, path));
      return undefined;
    }
  }

  async #enter(path: string, found: BigIntStats, levels: Level[]): Promise<void> {
    const identity = await identityOf(path, found);
    if (openStoreOf(path) !== undefined) return this.#options.onOpenStore?.(path);
    if (this.#seen.has(identity)) return;
    this.#seen.add(identity);
    try {
      const names = await readdir(path, { withFileTypes: true });
      names.sort((a, b) => (a.name < b.name ? -1 : 1));
      levels.push({ path, names, next: 0 });
    } catch (error) {
      this.#options.onProblem(path, reasonOf(error, path));
    }
  }

  async *#file(root: string, path: string, found: BigIntStats, base: string): AsyncGenerator<SourceFile> {
    // Tools that are running keep theirs beside their conversations.
    if (found.isSocket() && path !== root) return;
    // Opening a pipe would wait forever, and a device may do anything.
    if (!found.isFile())
      return this.#options.onProblem(path, "is not a file but a socket, a pipe or a device");
    const identity = await identityOf(path, found);
    if (this.#seen.has(identity)) return;
    this.#seen.add(identity);
    if (openStoreOf(path) !== undefined) return this.#options.onOpenStore?.(path);
    if (this.#locked.has(found.ino)) {
      return this.#options.onProblem(path, "is a database that this process has open");
    }
    const file = new PlainFile(root, path, found, identity, base);
    try {
      if (file.size < ZIP_BYTES_MIN || !isZip(await headOf(path))) return yield file;
    } catch (error) {
      return this.#options.onProblem(path, reasonOf(error, path));
    }
    yield* walkZip(file, this.#options);
  }
}

const UNDECODED = "has a name that is not valid UTF-8. To include it, rename it";

/** Bytes that are not UTF-8 were replaced in the name, and no file is called so. */
function isUndecoded(path: string, error: unknown): boolean {
  return path.includes("\ufffd") && (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** By inode, where the file system has them. */
async function identityOf(path: string, found: BigIntStats): Promise<string> {
  return found.ino === 0n ? realpath(path).catch(() => path) : `${found.dev}:${found.ino}`;
}

/** A class, because an import has all of its files in memory, and closures for each would take most of it. */
class PlainFile implements SourceFile {
  readonly path: string;
  readonly root: string;
  readonly size: number;
  readonly modifiedMs: number;
  readonly identity: string;
  readonly archive: undefined;
  readonly #base: string;

  constructor(root: string, path: string, found: BigIntStats, identity: string, base: string) {
    this.path = path;
    this.root = root;
    this.size = Number(found.size);
    this.modifiedMs = Number(found.mtimeMs);
    this.identity = identity;
    this.#base = base;
  }

  get relative(): string {
    const { path, root } = this;
    return path === root ? basename(path) : relative(root, path).split(sep).join("/");
  }

  get around(): Surroundings {
    return inFolder(this.path, this.modifiedMs, this.#base);
  }

  open(): Promise<ByteSource> {
    return openBytes(this.path);
  }
}

async function headOf(path: string): Promise<Buffer> {
  using file = await openFile(path);
  return await firstBytes(fileChunks(file.fd, path, 0, Math.min(MAGIC_BYTES, file.size)), MAGIC_BYTES);
}
