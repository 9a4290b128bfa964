import type { Block, MessageInput } from "../../src/message/types.ts";
import type { Store } from "../../src/store/index.ts";
import { type MessageRef, type RecallSet, type SetMessage, storedText } from "./set.ts";

/** Finds the message of the set that an entry of the store was made of. */
export type EntryRefs = (conversation: string, entry: string) => MessageRef | undefined;

/** Write the conversations of a set into an empty store. */
export async function loadStore(store: Store, set: RecallSet): Promise<EntryRefs> {
  const refs = new Map<string, MessageRef>();
  for (const { id, title, key, messages } of set.conversations) {
    const conversation = await store.create({ title, key });
    await conversation.append(messages.flatMap(entriesOf));
    for (const message of messages) {
      for (const entry of entriesOf(message)) {
        refs.set(`${conversation.id}/${entry.id}`, { conversation: id, message: message.id });
      }
    }
  }
  return (conversation, entry) => refs.get(`${conversation}/${entry}`);
}

/** A message, and a second one with the output of its tools: that is how agents write them. */
function entriesOf(message: SetMessage): (MessageInput & { readonly id: string })[] {
  const { id, role, at, tools = [] } = message;
  const text = storedText(message);
  if (tools.length === 0) return [{ id, role, at, content: text }];
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
  const first = { id, role, at, content: [...said, ...calls] };
  return results.length === 0 ? [first] : [first, { id: `${id}.out`, role: "user", at, content: results }];
}
