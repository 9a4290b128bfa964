/** A text with a cursor, and what the keys do to it. Pure. */
import { charactersOf } from "../../util/text-width.ts";
import type { Key } from "./keys.ts";

export interface EditedText {
  readonly text: string;
  readonly cursor: number;
}

export const EMPTY: EditedText = { text: "", cursor: 0 };

/** The text after a key; the same object if the key does nothing here. */
export function edited(state: EditedText, key: Key): EditedText {
  const { text, cursor } = state;
  switch (key.name) {
    case "text":
      return inserted(state, key.text);
    case "newline":
      return inserted(state, "\n");
    case "backspace":
      return removed(state, cursor - before(text, cursor), cursor);
    case "delete":
      return removed(state, cursor, cursor + after(text, cursor));
    case "delete-word":
      return removed(state, wordStart(text, cursor), cursor);
    case "delete-to-start":
      return removed(state, lineStart(text, cursor), cursor);
    case "delete-to-end":
      return removed(state, cursor, lineEnd(text, cursor));
    case "left":
      return moved(state, cursor - before(text, cursor));
    case "right":
      return moved(state, cursor + after(text, cursor));
    case "word-left":
      return moved(state, wordStart(text, cursor));
    case "word-right":
      return moved(state, wordEnd(text, cursor));
    case "home":
      return moved(state, lineStart(text, cursor));
    case "end":
      return moved(state, lineEnd(text, cursor));
    case "up":
      return moved(state, above(text, cursor));
    case "down":
      return moved(state, below(text, cursor));
    default:
      return state;
  }
}

function inserted({ text, cursor }: EditedText, more: string): EditedText {
  return { text: text.slice(0, cursor) + more + text.slice(cursor), cursor: cursor + more.length };
}

function removed(state: EditedText, from: number, to: number): EditedText {
  if (from === to) return state;
  return { text: state.text.slice(0, from) + state.text.slice(to), cursor: from };
}

function moved(state: EditedText, cursor: number): EditedText {
  return cursor === state.cursor ? state : { ...state, cursor };
}

/** The length of the character before the cursor. */
function before(text: string, cursor: number): number {
  return charactersOf(text.slice(lineStart(text, cursor - 1), cursor)).at(-1)?.length ?? 0;
}

function after(text: string, cursor: number): number {
  return charactersOf(text.slice(cursor, lineEnd(text, cursor) + 1))[0]?.length ?? 0;
}

function wordStart(text: string, cursor: number): number {
  return cursor - (/\S*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);
}

function wordEnd(text: string, cursor: number): number {
  return cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0);
}

function lineStart(text: string, cursor: number): number {
  return cursor <= 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

/** The same place in the line above; the cursor itself in the first line. */
function above(text: string, cursor: number): number {
  const start = lineStart(text, cursor);
  if (start === 0) return cursor;
  return Math.min(start - 1, lineStart(text, start - 1) + (cursor - start));
}

function below(text: string, cursor: number): number {
  const end = lineEnd(text, cursor);
  if (end === text.length) return cursor;
  return Math.min(lineEnd(text, end + 1), end + 1 + (cursor - lineStart(text, cursor)));
}
