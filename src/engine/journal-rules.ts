/** What may be written to the journal of a turn. */
import { ColloquyError } from "../errors.ts";
import type { JournalOperation } from "./operations.ts";

/** The journal that a conversation has now. */
export interface JournalState {
  readonly turn: string;
  /** Of its text, in UTF-16 units. */
  readonly length: number;
}

/**
 * The part of a piece that is to be written: a retry may repeat text that is
 * there. Throws `CONFLICT` when another turn is open, when a turn begins
 * without its header, and when the piece would leave a gap.
 */
export function newText(journal: JournalState | undefined, piece: JournalOperation): string {
  const { turn, header, position, text } = piece;
  if (journal !== undefined && journal.turn !== turn) {
    throw conflict(`Turn ${journal.turn} is open`, "turn", { turn: journal.turn });
  }
  if (journal === undefined && header === undefined) {
    throw conflict(`Turn ${turn} has no journal: its first piece is missing`, "turn", { turn });
  }
  const length = journal?.length ?? 0;
  if (position > length) {
    throw conflict(`The journal of turn ${turn} ends at ${length}, before ${position}`, "position", {
      length,
    });
  }
  return text.slice(length - position);
}

function conflict(message: string, field: string, details: Record<string, unknown>): ColloquyError {
  return new ColloquyError("CONFLICT", message, { field, details });
}
