import type { JsonObject } from "../../util/json.ts";
import { newText } from "../journal-rules.ts";
import type { JournalOperation } from "../operations.ts";
import type { OpenTurn } from "../queries.ts";

/** The text of a streamed answer. */
export interface Journal {
  readonly turn: string;
  readonly header: JsonObject;
  readonly text: string;
}

/** The journal with the next piece. */
export function extended(journal: Journal | undefined, piece: JournalOperation): Journal {
  const { turn, header = journal?.header ?? {} } = piece;
  const text = newText(journal && { turn: journal.turn, length: journal.text.length }, piece);
  return { turn, header, text: (journal?.text ?? "") + text };
}

export function openTurn(journal: Journal, from: number): OpenTurn {
  const { turn, header, text } = journal;
  return { id: turn, header: structuredClone(header), text: text.slice(from), length: text.length };
}
