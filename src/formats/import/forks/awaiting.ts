/**
 * Files that continue another one which was not found, in the ledger: the id that each of them waits for, and whether
 * an import has met it since. There are few of them, so they are kept in memory too.
 */
import type { DatabaseSync } from "node:sqlite";

export const AWAITING_SCHEMA =
  "CREATE TABLE IF NOT EXISTS awaiting (path TEXT PRIMARY KEY, id TEXT, due INTEGER) WITHOUT ROWID;";

interface Waiting {
  readonly id: string;
  readonly isDue: boolean;
}

export class Awaiting {
  readonly #database: DatabaseSync;
  #known: Map<string, Waiting> | undefined;
  #ids: ReadonlySet<string> | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The ids that files wait for. */
  get ids(): ReadonlySet<string> {
    this.#ids ??= new Set([...this.#all.values()].map(({ id }) => id));
    return this.#ids;
  }

  /** What a file waits for. It may move to another conversation when that is there. */
  idOf(path: string): string | undefined {
    return this.#all.get(path)?.id;
  }

  /** What it waits for was found. */
  setDue(path: string): void {
    const waiting = this.#all.get(path);
    if (waiting !== undefined) this.#write(path, { ...waiting, isDue: true });
  }

  /** Whether a file has to be read again, because what it waited for is there. */
  isDue(path: string): boolean {
    return this.#all.get(path)?.isDue === true;
  }

  /**
   * A file was read, which waits for something itself, or not, and offers ids that others wait for. Copies of a part
   * that wait for the same record may have it too: they are not what the others wait for.
   *
   * `continued`: only its end was read, which does not answer what it waits for. That may have become due meanwhile.
   */
  put(path: string, awaits: string | undefined, offered: Iterable<string>, continued: boolean): void {
    if (awaits === undefined) this.#remove(path);
    else if (!continued || this.#all.get(path)?.id !== awaits) {
      this.#write(path, { id: awaits, isDue: false });
    }
    const others = new Set(offered);
    if (awaits !== undefined) others.delete(awaits);
    if (others.size === 0) return;
    for (const [other, { id }] of this.#all) {
      if (other !== path && others.has(id)) this.#write(other, { id, isDue: true });
    }
  }

  /** What was put last is not in the database. */
  reload(): void {
    this.#known = undefined;
    this.#ids = undefined;
  }

  get #all(): Map<string, Waiting> {
    this.#known ??= new Map(
      this.#database
        .prepare("SELECT path, id, due FROM awaiting")
        .all()
        .map(({ path, id, due }) => [String(path), { id: String(id), isDue: due === 1 }]),
    );
    return this.#known;
  }

  #write(path: string, waiting: Waiting): void {
    const { id, isDue } = waiting;
    this.#database
      .prepare("INSERT OR REPLACE INTO awaiting (path, id, due) VALUES (?, ?, ?)")
      .run(path, id, isDue ? 1 : 0);
    this.#all.set(path, waiting);
    this.#ids = undefined;
  }

  #remove(path: string): void {
    if (!this.#all.has(path)) return;
    this.#database.prepare("DELETE FROM awaiting WHERE path = ?").run(path);
    this.#all.delete(path);
    this.#ids = undefined;
  }
}
