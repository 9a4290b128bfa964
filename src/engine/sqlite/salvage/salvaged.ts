import { type Covered, coveredColumns, rowSum } from "../sums.ts";
import type { Image } from "./image.ts";
import { newDatabase } from "./new-database.ts";
import { type FoundRecord, recordsOf, type Value } from "./records.ts";

export type SalvagedRow = Record<string, Value>;

/** Tables whose rows prove themselves by a checksum. */
const SEALED = [
  "entries",
  "conversations",
  "operations",
  "changes",
  "journals",
  "journal_pieces",
  "purged",
  "jobs",
] as const;

type SealedTable = (typeof SEALED)[number];

/** What the indexes say of a row: they hold the place and the id of entries that are lost themselves. */
interface IndexedEntry {
  conversation?: number;
  seq?: number;
  id?: string;
}

/** Everything that can be read from the pages of a store. */
export interface Salvaged {
  readonly rows: Readonly<Record<SealedTable, readonly SalvagedRow[]>>;
  /** Conversations whose words or counts do not match their checksum. Which part is wrong cannot be told. */
  readonly doubtful: ReadonlyMap<number, SalvagedRow>;
  readonly blobs: readonly SalvagedRow[];
  readonly chunks: readonly SalvagedRow[];
  /** By the number of the entry. */
  readonly indexed: ReadonlyMap<number, IndexedEntry>;
  /** Ids and session keys of conversations, by their number. */
  readonly names: ReadonlyMap<number, { id?: string; key?: string }>;
}

export function salvage(image: Image): Salvaged {
  const found = new Collector();
  for (const record of recordsOf(image)) found.add(record);
  return found;
}

const WITHOUT_ROWID: ReadonlySet<string> = new Set(["operations", "journal_pieces", "purged", "jobs"]);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HASH = /^[0-9a-f]{64}$/;
/** No store has so many conversations; as a time, it is in February of 1970. */
const NUMBER_END = 2 ** 32;

class Collector implements Salvaged {
  readonly rows: Record<SealedTable, SalvagedRow[]> = {
    entries: [],
    conversations: [],
    operations: [],
    changes: [],
    journals: [],
    journal_pieces: [],
    purged: [],
    jobs: [],
  };
  readonly doubtful = new Map<number, SalvagedRow>();
  readonly blobs: SalvagedRow[] = [];
  readonly chunks: SalvagedRow[] = [];
  readonly indexed = new Map<number, IndexedEntry>();
  readonly names = new Map<number, { id?: string; key?: string }>();
  readonly #columns = tableColumns();
  readonly #seen = new Set<string>();

  add(record: FoundRecord): void {
    if (SEALED.some((table) => this.#addSealed(table, record))) return;
    if (record.rowid === undefined) this.#addIndexed(record.values);
    else this.#addUnsealed(record, record.rowid);
  }

  #addSealed(table: SealedTable, { values, rowid }: FoundRecord): boolean {
    const columns = this.#columns[table];
    if (values.length > columns.length || !values.every((value, index) => fits(value, columns[index])))
      return false;
    const hasRowid = !WITHOUT_ROWID.has(table);
    const sumAt = columns.findIndex(({ name }) => name === "sum");
    if (hasRowid !== (rowid !== undefined) || values.length <= sumAt) return false;
    const row = rowOf(columns, values, rowid);
    if (!matches(table, row, "sum") || (table === "conversations" && !matches("counts", row, "tally"))) {
      const isConversation = table === "conversations" && UUID.test(String(row.id));
      if (isConversation) this.doubtful.set(rowid as number, row);
      return isConversation;
    }
    // A page that was freed by a killed writer may hold an entry for the second time.
    const identity = `${table} ${rowid ?? `${values[0]} ${values[1]}`}`;
    if (!this.#seen.has(identity)) this.rows[table].push(row);
    this.#seen.add(identity);
    return true;
  }

  #addUnsealed({ values }: FoundRecord, rowid: number): void {
    const [, hash, upload, size, encoding, storedBytes] = values;
    if (values.length === 4 && values[3] instanceof Uint8Array) {
      this.chunks.push(rowOf(this.#columns.blob_chunks, values, rowid));
    } else if (typeof hash === "string" && HASH.test(hash) && upload === null && values.length === 7) {
      if (typeof size !== "number" || typeof storedBytes !== "number") return;
      if (encoding === "none" || encoding === "zstd")
        this.blobs.push(rowOf(this.#columns.blobs, values, rowid));
    }
  }

  #addIndexed(values: readonly Value[]): void {
    const n = values.at(-1);
    if (typeof n !== "number") return;
    const [first, second] = values;
    if (values.length === 3 && typeof first === "number" && typeof second === "number") {
      this.#note(n, { conversation: first, seq: second });
    } else if (values.length === 3 && typeof first === "number" && typeof second === "string") {
      // A time, with the id of a conversation, or the number of a conversation, with the id or the blobs of an entry.
      if (first < NUMBER_END)
        this.#note(n, { conversation: first, ...(isReferences(second) ? {} : { id: second }) });
      else if (UUID.test(second)) this.names.set(n, { ...this.names.get(n), id: second });
    } else if (values.length === 3 && typeof first === "string" && typeof second === "number") {
      // Before version 7.
      this.#note(n, { id: first, conversation: second });
    } else if (values.length === 2 && typeof first === "string") {
      this.names.set(n, { ...this.names.get(n), ...(UUID.test(first) ? { id: first } : { key: first }) });
    }
  }

  #note(n: number, known: IndexedEntry): void {
    this.indexed.set(n, { ...this.indexed.get(n), ...known });
  }
}

/** The blobs of an entry, as its row has them. */
function isReferences(text: string): boolean {
  return text.startsWith('[{"') && text.endsWith("}]");
}

function matches(of: Covered, row: SalvagedRow, sum: string): boolean {
  return rowSum(...coveredColumns(of).map((column) => row[column])) === row[sum];
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Tables are strict: a value of another type is not from this one. */
function fits(value: Value, column: Column | undefined): boolean {
  if (value === null) return true;
  if (typeof value === "string") return column?.type === "TEXT";
  return column?.type === (value instanceof Uint8Array ? "BLOB" : "INTEGER");
}

/** The key of a table is stored as the rowid. */
function rowOf(columns: readonly Column[], values: readonly Value[], rowid: number | undefined): SalvagedRow {
  const row: SalvagedRow = {};
  for (const [index, value] of values.entries()) row[columns[index]?.name as string] = value;
  if (rowid !== undefined) row[columns[0]?.name as string] = rowid;
  return row;
}

/** The columns of every table, in the order of the file. */
function tableColumns(): Record<SealedTable | "blobs" | "blob_chunks", Column[]> {
  using database = newDatabase(":memory:");
  const columns = (table: string): Column[] =>
    database
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map(({ name, type }) => ({ name: String(name), type: String(type) }));
  return {
    entries: columns("entries"),
    conversations: columns("conversations"),
    operations: columns("operations"),
    changes: columns("changes"),
    journals: columns("journals"),
    journal_pieces: columns("journal_pieces"),
    purged: columns("purged"),
    jobs: columns("jobs"),
    blobs: columns("blobs"),
    blob_chunks: columns("blob_chunks"),
  };
}
