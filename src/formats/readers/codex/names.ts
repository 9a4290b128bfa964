import { filledIn, objectIn, parsedIn, textIn } from "../../contract/values.ts";

/** Names of threads, by id, in `session_index.jsonl`. The last one counts. */
export function codexNames(text: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const line of text.split("\n")) {
    const entry = objectIn(parsedIn(line));
    const id = filledIn(entry?.id);
    const name = textIn(entry?.thread_name)?.trim();
    if (id !== undefined && name) names.set(id, name);
  }
  return names;
}
