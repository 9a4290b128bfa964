/**
 * Writes a new store from everything that can be read of a damaged one.
 *
 * Rows are taken by their checksums. An entry that is missing is taken from a
 * backup, if there is one; otherwise a place is kept for it.
 */
import type { DatabaseSync } from "node:sqlite";
import { FindingList } from "../../findings.ts";
import type { Finding } from "../../queries.ts";
import { recount } from "../care/repair.ts";
import { prepareStatements } from "../statements.ts";
import { sumSql } from "../sums.ts";
import { Backup } from "./backup-rows.ts";
import { addBlobs } from "./blob-rows.ts";
import { ConversationRows, type Note } from "./conversation-rows.ts";
import { type EntryRow, isLostPlace, type LostEntry, lostEntries, withPlaces } from "./lost-entries.ts";
import { insertRow } from "./new-database.ts";
import type { Salvaged, SalvagedRow } from "./salvaged.ts";

export interface Rebuilt {
  /** What is lost, and what was brought back. */
  readonly findings: readonly Finding[];
}

/** `target` is an empty store (`newDatabase`). */
export function rebuild(
  target: DatabaseSync,
  found: Salvaged,
  from: Salvaged | undefined,
  path: string,
): Rebuilt {
  return new Rebuild(target, found, from, path).run();
}

class Rebuild {
  readonly #target: DatabaseSync;
  readonly #found: Salvaged;
  readonly #backup: Backup | undefined;
  readonly #from: Salvaged | undefined;
  readonly #path: string;
  readonly #findings = new FindingList();
  /** Lost entries whose number is not known have negative ones: what is written later gets the next positive one. */
  #firstN: number;

  constructor(target: DatabaseSync, found: Salvaged, from: Salvaged | undefined, path: string) {
    this.#target = target;
    this.#found = found;
    this.#from = from;
    this.#backup = from && new Backup(from);
    this.#path = path;
    const numbers = found.rows.entries.map(({ n }) => n as number);
    this.#firstN = [...numbers, ...found.indexed.keys()].reduce((a, b) => Math.min(a, b), 0);
  }

  run(): Rebuilt {
    this.#target.exec("BEGIN");
    const note: Note = (code, conversation, message) => this.#note(code, conversation, message);
    const conversations = new ConversationRows(this.#found, this.#backup, note).all();
    const logs = Map.groupBy(this.#found.rows.entries as EntryRow[], ({ conversation }) => conversation);
    const indexed = this.#indexed();
    for (const [n, row] of conversations) {
      this.#insert("conversations", row);
      const present = (logs.get(n) ?? []).toSorted((a, b) => a.seq - b.seq);
      this.#writeLog(row, present, indexed.get(n) ?? new Map());
    }
    for (const change of this.#found.rows.changes) this.#insert("changes", change);
    for (const mark of [...this.#found.rows.purged, ...(this.#from?.rows.purged ?? [])])
      this.#insert("purged", mark);
    this.#writeJobs(conversations);
    this.#writeOperations();
    this.#writeJournals(conversations);
    for (const problem of addBlobs(this.#target, this.#found, this.#from))
      this.#note("lost-blob", null, problem);
    this.#target.exec(
      `UPDATE conversations SET sum = ${sumSql("conversations")}, tally = ${sumSql("counts")}`,
    );
    recount(this.#target, prepareStatements(this.#target), () => {});
    this.#target.exec("COMMIT");
    return { findings: this.#findings.list() };
  }

  /** Entries that an index names, by conversation and `seq`. */
  #indexed(): Map<number, Map<number, LostEntry>> {
    const all = new Map<number, Map<number, LostEntry>>();
    for (const [n, { conversation, seq, id }] of this.#found.indexed) {
      if (conversation === undefined || seq === undefined || seq < 1) continue;
      const log = all.get(conversation) ?? new Map<number, LostEntry>();
      log.set(seq, { seq, n, id });
      all.set(conversation, log);
    }
    return all;
  }

  #writeLog(row: SalvagedRow, present: readonly EntryRow[], indexed: ReadonlyMap<number, LostEntry>): void {
    const id = String(row.id);
    const n = row.n as number;
    const places = present.filter(isLostPlace);
    const there = places.length === 0 ? present : present.filter((entry) => !isLostPlace(entry));
    const lastSeq = this.#found.doubtful.has(n) ? 0 : Number(row.last_seq);
    const lost = lostEntries(present, indexed, lastSeq);
    const missing = [...places, ...lost];
    const filled = this.#backup?.entries(id, n, missing, this.#found.rows.changes) ?? [];
    const numbers = new Set(filled.map(({ seq }) => seq));
    const log = withPlaces(
      n,
      [...there, ...filled].sort((a, b) => a.seq - b.seq),
      missing.filter(({ seq }) => !numbers.has(seq)),
      () => --this.#firstN,
    );
    for (const entry of log) this.#insert("entries", entry);
    this.#noteRanges(
      id,
      lost.filter(({ seq }) => !numbers.has(seq)),
      "could not be read: lost",
    );
    this.#noteRanges(id, filled, "restored from the backup");
  }

  #noteRanges(conversation: string, entries: readonly { readonly seq: number }[], how: string): void {
    const code = how.startsWith("restored") ? "restored-entry" : "lost-entry";
    for (const [first, last] of rangesOf(entries.map(({ seq }) => seq))) {
      const what = first === last ? `entry ${first}` : `entries ${first} to ${last}`;
      this.#note(code, conversation, `${what} ${how}`);
    }
  }

  /** Not from a backup: what was to be done then may be done by now. */
  #writeJobs(conversations: ReadonlyMap<number, SalvagedRow>): void {
    const ids = new Set([...conversations.values()].map(({ id }) => id));
    for (const job of this.#found.rows.jobs)
      if (job.conversation === null || ids.has(job.conversation)) this.#insert("jobs", job);
  }

  /** Those that have an entry left, and those that only their entries name. */
  #writeOperations(): void {
    for (const operation of this.#found.rows.operations) this.#insert("operations", operation);
    this.#target.exec(`
      DELETE FROM operations WHERE NOT EXISTS (SELECT 1 FROM entries e WHERE e.conversation = operations.conversation
        AND seq BETWEEN first_seq AND last_seq AND op = operations.id);
      INSERT OR IGNORE INTO operations (id, conversation, first_seq, last_seq, sum)
        SELECT op, conversation, min(seq), max(seq), row_sum(op, conversation, min(seq), max(seq)) FROM entries
        WHERE op IS NOT NULL GROUP BY op, conversation;
    `);
  }

  /** The text of a turn up to where it is broken. */
  #writeJournals(conversations: ReadonlyMap<number, SalvagedRow>): void {
    const texts = Map.groupBy(this.#found.rows.journal_pieces, ({ conversation }) => conversation);
    for (const journal of this.#found.rows.journals) {
      if (!conversations.has(journal.conversation as number)) continue;
      this.#insert("journals", journal);
      let end = 0;
      const pieces = texts.get(journal.conversation as number) ?? [];
      for (const piece of pieces.toSorted((a, b) => Number(a.position) - Number(b.position))) {
        if (piece.position !== end) break;
        this.#insert("journal_pieces", piece);
        end += Number(piece.length);
      }
    }
  }

  #insert(table: string, row: SalvagedRow): void {
    insertRow(this.#target, table, row);
  }

  #note(code: string, conversation: string | null, message: string): void {
    this.#findings.add({ code, conversation, source: this.#path, line: null, message });
  }
}

/** Ascending numbers as ranges. */
function rangesOf(numbers: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
