import { invalid } from "../../errors.ts";

/** A file or folder. A store target such as `sqlite:FILE` is easily typed here by mistake. */
export function checkPath(text: string): string {
  if (text === "" || text.includes("\0")) throw invalid("PATH must be a file or folder", "PATH");
  const [, engine, place] = /^(sqlite|jsonl|postgres|postgresql|ephemeral):(.*)$/s.exec(text) ?? [];
  if (engine === undefined) return text;
  throw invalid(`PATH must be a plain path without "${engine}:"${place ? `: use ${place}` : ""}`, "PATH");
}
