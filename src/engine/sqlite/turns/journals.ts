import type { JsonObject } from "../../../util/json.ts";
import { newText } from "../../journal-rules.ts";
import type { JournalOperation } from "../../operations.ts";
import type { OpenTurn } from "../../queries.ts";
import { parsed } from "../rows.ts";
import type { Statements } from "../statements.ts";
import { isSealed, rowSum } from "../sums.ts";

/** The text of streamed answers. A piece is a row, so that the cost of adding one does not depend on the text so far. */
export class Journals {
  readonly #sql: Statements;
  readonly #damaged: (problem: string) => void;

  constructor(sql: Statements, damaged: (problem: string) => void) {
    this.#sql = sql;
    this.#damaged = damaged;
  }

  /** Returns the length of the text. */
  write(conversation: number, piece: JournalOperation): number {
    const open = this.#sql.journal.get(conversation);
    const length = open === undefined ? 0 : this.#length(conversation);
    const text = newText(open && { turn: open[1] as string, length }, piece);
    if (open === undefined) {
      const columns = [conversation, piece.turn, JSON.stringify(piece.header)] as const;
      this.#sql.insertJournal.run(...columns, rowSum(...columns));
    } else if (piece.header !== undefined) {
      const header = JSON.stringify(piece.header);
      this.#sql.updateJournal.run(header, rowSum(conversation, piece.turn, header), conversation);
    }
    if (text !== "") {
      const columns = [conversation, length, text.length, JSON.stringify(text)] as const;
      this.#sql.insertPiece.run(...columns, rowSum(...columns));
    }
    return length + text.length;
  }

  read(conversation: number, from: number): OpenTurn | undefined {
    const open = this.#sql.journal.get(conversation);
    if (open === undefined) return undefined;
    if (!isSealed(open)) this.#damaged(`The journal of turn ${open[1]} does not match its checksum`);
    const pieces = this.#intact(open[1] as string, this.#sql.journalText.all<PieceRow>(conversation, from));
    const text = pieces.map(([, , , piece]) => String(parsed(piece) ?? "")).join("");
    const [first] = pieces;
    return {
      id: open[1] as string,
      header: (parsed(open[2] as string) ?? {}) as JsonObject,
      text: first === undefined ? "" : text.slice(Math.max(0, from - first[1])),
      length: this.#length(conversation),
    };
  }

  /** The pieces before the first that is damaged: what follows it is not what was said after them. */
  #intact(turn: string, pieces: PieceRow[]): PieceRow[] {
    const damaged = pieces.findIndex((piece) => !isSealed(piece));
    if (damaged === -1) return pieces;
    this.#damaged(`The text of turn ${turn} is damaged from ${pieces[damaged]?.[1]} on`);
    return pieces.slice(0, damaged);
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

type PieceRow = [conversation: number, position: number, length: number, text: string, sum: number];
