import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { exactCount } from "../ui/values/count.tsx";

export interface CutLinesProps {
  readonly text: string;
  readonly linesMax: number;
  children(shown: string): ComponentChildren;
}

/** A line can be long too. */
const LETTERS_MAX = 20_000;

/** The beginning of a long text, and a button that shows all of it. */
export function CutLines({ text, linesMax, children }: CutLinesProps): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : beginning(text, linesMax);
  return (
    <>
      {children(shown)}
      {shown.length < text.length && (
        <button type="button" class="show-all" onClick={() => setWhole(true)}>
          {linesIn(text) > linesMax
            ? `Show all ${exactCount(linesIn(text))} lines`
            : `Show all ${exactCount(text.length)} characters`}
        </button>
      )}
    </>
  );
}

function beginning(text: string, linesMax: number): string {
  let end = -1;
  for (let line = 0; line < linesMax; line++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) return text.slice(0, LETTERS_MAX);
  }
  return text.slice(0, Math.min(end, LETTERS_MAX));
}

function linesIn(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
