import type { JsonObject } from "../../../util/json.ts";
import { newText } from "../../journal-rules.ts";
import type { JournalOperation } from "../../operations.ts";
import type { OpenTurn } from "../../queries.ts";
import { parsed } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** The text of streamed answers. A piece is a row, so that the cost of adding one does not depend on the text so far. */
export class Journals {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** Returns the length of the text. */
  write(conversation: number, piece: JournalOperation): number {
    const open = this.#sql.journal.get(conversation);
    const length = open === undefined ? 0 : this.#length(conversation);
    const text = newText(open && { turn: open[0] as string, length }, piece);
    if (open === undefined) {
      this.#sql.insertJournal.run(conversation, piece.turn, JSON.stringify(piece.header));
    }
    if (text !== "") this.#sql.insertPiece.run(conversation, length, text.length, JSON.stringify(text));
    return length + text.length;
  }

  read(conversation: number, from: number): OpenTurn | undefined {
    const open = this.#sql.journal.get(conversation);
    if (open === undefined) return undefined;
    const pieces = this.#sql.journalText.all<[number, string]>(conversation, from);
    const [first] = pieces;
    const text = pieces.map(([, piece]) => String(parsed(piece) ?? "")).join("");
    return {
      id: open[0] as string,
      header: (parsed(open[1] as string) ?? {}) as JsonObject,
      text: first === undefined ? "" : text.slice(Math.max(0, from - first[0])),
      length: this.#length(conversation),
    };
  }

  /** Without a turn, the one that is open. */
  end(conversation: number, turn: string | null = null): void {
    this.#sql.deletePieces.run(conversation, turn);
    this.#sql.deleteJournal.run(conversation, turn);
  }

  #length(conversation: number): number {
    const row = this.#sql.journalLength.get(conversation);
    return (row?.[0] as number | undefined) ?? 0;
  }
}
