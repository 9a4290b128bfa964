import type { Store } from "../../store/store.ts";
import type { ChannelMessage } from "../channel.ts";
import { type ChannelName, operationIdOf } from "../inbox/accept.ts";
import type { CommandMarks } from "../inbox/command-marks.ts";
import { answerIn } from "./question-text.ts";
import type { Questions } from "./questions.ts";

export interface AnswerParts {
  readonly store: Store;
  readonly channel: ChannelName;
  readonly commands: CommandMarks;
  readonly questions: Questions;
}

const NO_QUESTION = "There is no question that you can answer.";

/**
 * Take a message as the answer to a question about a tool. It is not stored in the conversation. Returns what to say,
 * or `undefined` if the message is something else.
 */
export async function takeAnswer(
  { store, channel, commands, questions }: AnswerParts,
  message: ChannelMessage,
  key: string,
): Promise<string | undefined> {
  const given = message.isEdit === true ? undefined : answerIn(message.text);
  if (given === undefined) return undefined;
  // The same message again approves nothing.
  if (await commands.has(message)) return "";
  const chat = await store.get(key);
  const wasAccepted = (await chat?.entry(operationIdOf(channel, message.id))) !== undefined;
  const question =
    chat === undefined || wasAccepted ? undefined : await questions.answerable(message, chat.id);
  if (question === undefined && !given.isCommand) return undefined;
  const said = await commands.once(message, key, { name: "approve" }, async () => {
    const isOpen = question !== undefined && (await questions.answer(question, given.answer, message));
    return isOpen ? "" : NO_QUESTION;
  });
  return said ?? "";
}
