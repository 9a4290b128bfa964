import { invalid } from "../errors.ts";
import { textOf } from "../message/text.ts";
import type { Conversation } from "../store/conversation.ts";
import { withoutRecalled } from "./chunk/recalled.ts";

/** Turns the text of a conversation into what is worth remembering. */
export type Summarize = (text: string) => string | Promise<string>;

export interface ConversationNote {
  readonly text: string;
  readonly source: string;
  readonly provenance: {
    readonly conversation: string;
    readonly key: string | null;
    readonly messages: number;
  };
}

/** The most that a summariser receives: the end of a longer conversation. */
const CHARS_MAX = 400_000;

/** A conversation in the words of a summariser, who does not see what memory had returned in it. */
export async function conversationNote(
  conversation: Conversation,
  summarize: Summarize,
): Promise<ConversationNote> {
  if (typeof summarize !== "function") throw invalid("summarize must be a function", "summarize");
  const { id, key } = await conversation.info();
  const lines: string[] = [];
  let chars = 0;
  for await (const { message } of conversation.messages({})) {
    const line = `${message.role}: ${withoutRecalled(textOf(message)).trim()}`;
    lines.push(line);
    for (chars += line.length; chars > CHARS_MAX && lines.length > 1; )
      chars -= (lines.shift() as string).length;
  }
  const text = await summarize(lines.join("\n\n"));
  if (typeof text !== "string") throw invalid("summarize must return a string", "summarize");
  return {
    text,
    source: `conversation:${id}`,
    provenance: { conversation: id, key, messages: lines.length },
  };
}
