import { type EntryRow, type LostEntry, sealed } from "./lost-entries.ts";
import type { Salvaged, SalvagedRow } from "./salvaged.ts";

/** The rows of a backup, to fill what is missing elsewhere. Each has proved itself by its checksum. */
export class Backup {
  readonly #conversations: ReadonlyMap<string, SalvagedRow>;
  readonly #entries: ReadonlyMap<number, EntryRow[]>;
  readonly #lastN: number;

  constructor({ rows }: Salvaged) {
    this.#conversations = new Map(rows.conversations.map((row) => [String(row.id), row]));
    this.#entries = Map.groupBy(rows.entries as EntryRow[], ({ conversation }) => conversation);
    const numbers = [...rows.entries, ...rows.changes].map(({ n }) => n as number);
    this.#lastN = numbers.reduce((a, b) => Math.max(a, b), 0);
  }

  conversation(id: string): SalvagedRow | undefined {
    return this.#conversations.get(id);
  }

  /**
   * Those of the missing entries that the backup has, as entries of
   * `conversation`. None if something was redacted after the backup was made:
   * it could be one of them.
   */
  entries(
    id: string,
    conversation: number,
    missing: readonly LostEntry[],
    changes: readonly SalvagedRow[],
  ): EntryRow[] {
    const n = this.#conversations.get(id)?.n as number | undefined;
    const redacted = changes.some(
      (change) => change.conversation === id && change.type === "redacted" && Number(change.n) > this.#lastN,
    );
    if (n === undefined || redacted || missing.length === 0) return [];
    const bySeq = new Map(this.#entries.get(n)?.map((entry) => [entry.seq, entry]));
    return missing.flatMap((lost) => {
      const kept = bySeq.get(lost.seq);
      const isSame = lost.id === undefined || lost.id.startsWith("lost-") || kept?.id === lost.id;
      if (kept === undefined || !isSame) return [];
      return [sealed({ ...kept, n: lost.n ?? kept.n, conversation })];
    });
  }
}
