/** What is being written, for each conversation. It survives a reload; only text, never a file. */
import { useState } from "preact/hooks";
import { readStored, writeStored } from "../state/stored.ts";

export function useDraft(name: string): readonly [string, (text: string) => void] {
  const key = `draft.${name}`;
  const [text, setText] = useState(() => readStored(key) ?? "");
  const change = (next: string): void => {
    setText(next);
    writeStored(key, next === "" ? null : next);
  };
  return [text, change];
}
