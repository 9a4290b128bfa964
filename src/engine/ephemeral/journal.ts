import { ColloquyError } from "../../errors.ts";
import type { JsonObject } from "../../util/json.ts";
import type { JournalOperation } from "../operations.ts";
import type { OpenTurn } from "../queries.ts";

/** The text of an answer that is being streamed. */
export interface Journal {
  readonly turn: string;
  readonly header: JsonObject;
  readonly text: string;
}

/** The journal with the next piece. Throws when the piece belongs to another turn or leaves a gap. */
export function written(journal: Journal | undefined, piece: JournalOperation): Journal {
  const { conversation, turn, header, position, text } = piece;
  const refuse = (reason: string): ColloquyError =>
    new ColloquyError("CONFLICT", `${reason} in conversation ${conversation}`, { field: "turn" });
  if (journal !== undefined && journal.turn !== turn) throw refuse(`Turn ${journal.turn} is under way`);
  const begun = journal ?? (header === undefined ? undefined : { turn, header, text: "" });
  if (begun === undefined) throw refuse(`Turn ${turn} is not under way`);
  if (position > begun.text.length) throw refuse(`Turn ${turn} lacks the text before ${position}`);
  return { ...begun, text: begun.text + text.slice(begun.text.length - position) };
}

export function openTurn(journal: Journal, from: number): OpenTurn {
  const { turn, header, text } = journal;
  return { id: turn, header: structuredClone(header), text: text.slice(from), length: text.length };
}
