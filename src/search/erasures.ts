/**
 * Erasures that have begun.
 *
 * Words are removed from the index first, then from the store. In between, and for other processes that have read them
 * before, a row here keeps them from being added again.
 */
import type { IndexFile } from "./index-file.ts";

interface ErasureRow {
  readonly seq: number | null;
  readonly at: number;
  readonly state: number;
}

const OPEN = 0;
const SETTLED = 1;
/** Killed or refused: its words are being added again. */
const UNDONE = 2;

export class Erasures {
  readonly #file: Pick<IndexFile, "prepare" | "rows">;

  constructor(file: Pick<IndexFile, "prepare" | "rows">) {
    this.#file = file;
  }

  /** Of an entry, of the session key (0), or of a whole conversation. Returns its number. */
  begin(conversation: string, seq: number | undefined, nowMs: number): number {
    const row = this.#file.prepare("INSERT INTO forgotten (conversation, seq, at) VALUES (?, ?, ?)");
    return Number(row.run(conversation, seq ?? null, nowMs).lastInsertRowid);
  }

  /** The store has erased the words. Returns false if the erasure was taken for a killed one. */
  settle(n: number, nowMs: number): boolean {
    const sql = `UPDATE forgotten SET state = ${SETTLED}, at = ? WHERE n = ? AND state = ${OPEN}`;
    if (Number(this.#file.prepare(sql).run(nowMs, n).changes) !== 1) return false;
    // Pruning leaves the rest of a conversation in the store, which others could not add meanwhile: the next update does.
    const again = `INSERT INTO forgotten (conversation, seq, at)
      SELECT conversation, NULL, 0 FROM forgotten WHERE n = ? AND seq IS NULL`;
    this.#file.prepare(again).run(n);
    return true;
  }

  /** The store still has the words, or some of them: the next update adds them again. */
  abandon(n: number): void {
    this.#file.prepare("UPDATE forgotten SET at = 0 WHERE n = ?").run(n);
  }

  /** Whether words were removed that the store may still have. */
  get isOpen(): boolean {
    const sql = `SELECT 1 FROM forgotten WHERE state != ${SETTLED} LIMIT 1`;
    return this.#file.prepare(sql).get() !== undefined;
  }

  /** Which entries of a conversation must not be added; `null` stands for all. */
  openOf(conversation: string): (number | null)[] {
    return this.#of(conversation).flatMap(({ seq, state }) => (state === OPEN ? [seq] : []));
  }

  /** Whether one of a conversation was settled at this time or later. */
  isSettledSince(conversation: string, timeMs: number): boolean {
    return this.#of(conversation).some(({ at, state }) => state === SETTLED && at >= timeMs);
  }

  #of(conversation: string): ErasureRow[] {
    const sql = "SELECT seq, at, state FROM forgotten WHERE conversation = ?";
    return this.#file.rows(sql, conversation);
  }

  /** Whether any began, or was settled, before a time. */
  hasBefore(timeMs: number): boolean {
    return this.#file.prepare("SELECT 1 FROM forgotten WHERE at < ? LIMIT 1").get(timeMs) !== undefined;
  }

  /** Conversations with erasures that began before a time and were not settled. */
  openBefore(timeMs: number): string[] {
    const sql = `SELECT DISTINCT conversation FROM forgotten WHERE state != ${SETTLED} AND at < ?`;
    const rows = this.#file.prepare(sql).all(timeMs);
    return rows.map(({ conversation }) => String(conversation));
  }

  /** Those of a conversation that began before a time do not keep its words out any more. */
  undo(timeMs: number, conversation: string): void {
    const sql = `UPDATE forgotten SET state = ${UNDONE} WHERE state = ${OPEN} AND at < ? AND conversation = ?`;
    this.#file.prepare(sql).run(timeMs, conversation);
  }

  /** Those of a conversation, or all that were settled. */
  removeBefore(timeMs: number, conversation: string | null): void {
    const settled = `(?2 IS NULL AND state = ${SETTLED})`;
    const sql = `DELETE FROM forgotten WHERE at < ?1 AND (conversation = ?2 OR ${settled})`;
    this.#file.prepare(sql).run(timeMs, conversation);
  }
}
