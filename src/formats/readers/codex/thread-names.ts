import { filledIn, objectIn, parsedIn, textIn } from "../../../util/values.ts";
import type { Describe } from "../../contract/format.ts";

/** Adds the name of its thread in `session_index.jsonl` to a conversation. */
export function describeThread(text: string): Describe {
  const names = threadNames(text);
  return (start) => ({ ...start, title: names.get(start.sourceId) ?? start.title });
}

/** By thread id. The last name wins. */
function threadNames(text: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const line of text.split("\n")) {
    const entry = objectIn(parsedIn(line));
    const id = filledIn(entry?.id);
    const name = textIn(entry?.thread_name)?.trim();
    if (id !== undefined && name) names.set(id, name);
  }
  return names;
}
