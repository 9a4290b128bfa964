import { invalid } from "../../errors.ts";

/** A file or folder. Somebody who has just typed `--store` may write a target here, too. */
export function checkPath(text: string): string {
  if (text === "" || text.includes("\0")) throw invalid("PATH must be a file or folder", "PATH");
  const [, engine, place] = /^(sqlite|jsonl|postgres|postgresql|ephemeral):(.*)$/s.exec(text) ?? [];
  if (engine === undefined) return text;
  throw invalid(`PATH is a plain path, without "${engine}:"${place ? `: write ${place}` : ""}`, "PATH");
}
