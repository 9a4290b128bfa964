import { filledIn, objectIn, parsedIn, textIn } from "../../../util/values.ts";
import type { Describe } from "../../contract/format.ts";

/** Adds the name of its thread in `session_index.jsonl` to a conversation. */
export function describeThread(text: string): Describe {
  const names = threadNames(text);
  return (start) => {
    // All forks of a thread are one conversation, which has the name of that thread.
    const title = names.get(start.root ?? start.sourceId) ?? names.get(start.sourceId);
    return { ...start, title: title ?? start.title };
  };
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
