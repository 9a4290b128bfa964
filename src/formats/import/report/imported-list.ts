/**
 * The conversations of an import. The first are listed; of all others only their counts are kept, in a temporary
 * database: a source may have millions of them, and any number of its files may add to the same one.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Imported } from "../report.ts";

/** Exact, however long the list would be. */
interface ImportedCounts {
  readonly conversations: number;
  /** Those that messages were added to. */
  readonly grown: number;
  /** How many conversations have each flag. */
  readonly flags: Readonly<Record<string, number>>;
}

type Counted = Pick<Imported, "id" | "added" | "flags">;

export class ImportedList {
  readonly #listMax: number;
  readonly #first: Map<string, Imported> = new Map();
  #rest: Rest | undefined;

  constructor(listMax: number) {
    this.#listMax = listMax;
  }

  get size(): number {
    return this.#first.size + (this.#rest?.size ?? 0);
  }

  /** A conversation may come from several files: what was said of it before counts as well. */
  add(item: Imported): void {
    const before = this.#first.get(item.id);
    if (before !== undefined) {
      const { source, sourceId } = before;
      this.#first.set(item.id, { ...item, source, sourceId, ...sum(before, item) });
    } else if (this.#first.size < this.#listMax) this.#first.set(item.id, item);
    else {
      this.#rest ??= new Rest();
      this.#rest.add(item);
    }
  }

  /** Another conversation has its session key. */
  rename(id: string, key: string | null): void {
    const known = this.#first.get(id);
    const flags = { "twin-key": 1 };
    if (known === undefined) this.#rest?.flag(id, flags);
    else this.#first.set(id, { ...known, key, flags: { ...known.flags, ...flags } });
  }

  /** The list and the counts, at the end. */
  build(): ImportedCounts & { readonly imported: readonly Imported[] } {
    const imported = [...this.#first.values()];
    const conversations = this.size;
    const flags = new Map<string, number>();
    let grown = 0;
    const count = ({ added, flags: own }: Counted): void => {
      if (added > 0) grown++;
      for (const flag of Object.keys(own)) flags.set(flag, (flags.get(flag) ?? 0) + 1);
    };
    imported.forEach(count);
    for (const item of this.#rest?.close() ?? []) count(item);
    return { imported, conversations, grown, flags: Object.fromEntries([...flags].sort()) };
  }
}

/** Flags of the whole conversation, which every file finds again. */
const OF_ALL: ReadonlySet<string> = new Set([
  ...["deep", "bad-key", "twin-key", "in-trash", "purged", "restored"],
]);

function sum(before: Counted, item: Counted): Pick<Imported, "added" | "flags"> {
  const flags = { ...before.flags };
  for (const [flag, count] of Object.entries(item.flags)) {
    flags[flag] = OF_ALL.has(flag) ? count : (flags[flag] ?? 0) + count;
  }
  return { added: before.added + item.added, flags };
}

class Rest {
  /** Without a name it is in memory while it is small, and then in a file that no other program sees. */
  readonly #database: DatabaseSync = new DatabaseSync("");
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  size = 0;

  constructor() {
    this.#database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE rest (id TEXT PRIMARY KEY, added INTEGER, flags TEXT) WITHOUT ROWID; BEGIN`);
    this.#get = this.#database.prepare("SELECT added, flags FROM rest WHERE id = ?");
    this.#put = this.#database.prepare("INSERT OR REPLACE INTO rest VALUES (?, ?, ?)");
  }

  add(item: Counted): void {
    const row = this.#get.get(item.id);
    const { added, flags } = row === undefined ? item : sum(countedIn(item.id, row), item);
    if (row === undefined) this.size++;
    this.#put.run(item.id, added, JSON.stringify(flags));
  }

  flag(id: string, flags: Imported["flags"]): void {
    if (this.#get.get(id) !== undefined) this.add({ id, added: 0, flags });
  }

  *close(): Generator<Counted> {
    for (const row of this.#database.prepare("SELECT * FROM rest").iterate()) {
      yield countedIn(String(row.id), row);
    }
    this.#database.close();
  }
}

function countedIn(id: string, { added, flags }: Readonly<Record<string, unknown>>): Counted {
  return { id, added: Number(added), flags: JSON.parse(String(flags)) };
}
