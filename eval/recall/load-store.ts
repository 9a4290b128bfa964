import { ColloquyError } from "../../src/errors.ts";
import type { Block, MessageInput } from "../../src/message/types.ts";
import type { Store } from "../../src/store/index.ts";
import { type MessageRef, type RecallSet, type SetConversation, type SetMessage, storedText } from "./set.ts";

/**
 * Finds the message of the set that an entry of the store was made of. `null` is the title: it has a rank like a
 * message, tells which conversation it is, and answers no question.
 */
export type EntryRefs = (conversation: string, entry: string | null) => MessageRef | undefined;

/** Write the conversations of a set into an empty store. */
export async function loadStore(store: Store, set: RecallSet): Promise<EntryRefs> {
  const refs = new Map<string, MessageRef>();
  for (const conversation of set.conversations) {
    const { id, entries } = await write(store, conversation);
    refs.set(`${id}/null`, { conversation: conversation.id, message: "" });
    for (const [entry, message] of entries) {
      refs.set(`${id}/${entry}`, { conversation: conversation.id, message });
    }
  }
  return (conversation, entry) => refs.get(`${conversation}/${entry}`);
}

/** One conversation: its id in the store, and each entry with the message that it was made of. */
async function write(
  store: Store,
  { id, title, key, messages }: SetConversation,
): Promise<{ readonly id: string; readonly entries: readonly (readonly [string, string])[] }> {
  const made = messages.flatMap((message) => inputsOf(message).map((input) => [input, message.id] as const));
  try {
    const conversation = await store.create({ title, key });
    const { entries } = await conversation.append(made.map(([input]) => input));
    return {
      id: conversation.id,
      entries: made.map(([, message], index) => [entries[index]?.id ?? "", message]),
    };
  } catch (error) {
    if (!(error instanceof ColloquyError)) throw error;
    const { code, message, field, details } = error;
    throw new ColloquyError(code, `The conversation "${id}" cannot be stored: ${message}`, {
      field,
      details,
    });
  }
}

/** A message, and a second one with the output of its tools: that is how agents write them. */
function inputsOf(message: SetMessage): MessageInput[] {
  const { id, role, at, tools = [] } = message;
  const text = storedText(message);
  if (tools.length === 0) return [{ role, at, content: text }];
  const calls = tools.map(({ name, input }, index) => ({
    type: "tool_use",
    id: `${id}.${index}`,
    name,
    input,
  }));
  const results = tools.flatMap(({ output }, index): Block[] =>
    output === undefined ? [] : [{ type: "tool_result", tool_use_id: `${id}.${index}`, content: output }],
  );
  const said: Block[] = text.trim() === "" ? [] : [{ type: "text", text }];
  const first = { role, at, content: [...said, ...calls] };
  return results.length === 0 ? [first] : [first, { role: "user", at, content: results }];
}
