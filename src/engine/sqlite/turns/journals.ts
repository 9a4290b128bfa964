import { ColloquyError } from "../../../errors.ts";
import type { JsonObject } from "../../../util/json.ts";
import type { JournalOperation } from "../../operations.ts";
import type { OpenTurn } from "../../queries.ts";
import { parsed, type Row } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** The text of answers that are being streamed. A piece is a row, so that keeping one does not cost what is there. */
export class Journals {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** Gives how far the text reaches. */
  write(conversation: number, { turn, header, position, text }: JournalOperation): number {
    const open = this.#sql.journal.get(conversation) as Row | undefined;
    if (open !== undefined && open[0] !== turn) throw underWay(open[0] as string);
    const length = open === undefined ? 0 : this.#length(conversation);
    if (position > length || (open === undefined && header === undefined)) {
      throw new ColloquyError("INTERNAL_ERROR", `The journal of turn ${turn} ends before ${position}`, {
        details: { length },
      });
    }
    if (open === undefined) this.#sql.insertJournal.run(conversation, turn, JSON.stringify(header));
    const fresh = text.slice(length - position);
    if (fresh !== "") this.#sql.insertPiece.run(conversation, length, fresh.length, JSON.stringify(fresh));
    return length + fresh.length;
  }

  read(conversation: number, from: number): OpenTurn | undefined {
    const open = this.#sql.journal.get(conversation) as Row | undefined;
    if (open === undefined) return undefined;
    const pieces = this.#sql.journalText.all(conversation, from) as unknown as [number, string][];
    const [first] = pieces;
    const text = pieces.map(([, piece]) => String(parsed(piece) ?? "")).join("");
    return {
      id: open[0] as string,
      header: (parsed(open[1] as string) ?? {}) as JsonObject,
      text: first === undefined ? "" : text.slice(Math.max(0, from - first[0])),
      length: this.#length(conversation),
    };
  }

  /** Without a turn, whichever is under way. */
  end(conversation: number, turn: string | null = null): void {
    this.#sql.deletePieces.run(conversation, turn);
    this.#sql.deleteJournal.run(conversation, turn);
  }

  #length(conversation: number): number {
    const row = this.#sql.journalLength.get(conversation) as Row | undefined;
    return (row?.[0] as number | undefined) ?? 0;
  }
}

function underWay(turn: string): ColloquyError {
  return new ColloquyError("CONFLICT", `Turn ${turn} is under way`, { field: "turn", details: { turn } });
}
