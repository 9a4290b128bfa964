/**
 * The commands that people type in a chat, the same in every channel.
 *
 * A channel passes what was typed to `findCommand`, runs what it finds, and
 * shows the text that it returns. What is not a command is a message.
 */

import { textOf } from "../../message/text.ts";
import type { Store } from "../../store/store.ts";
import { checkString } from "../../util/checked-arguments.ts";

export interface CommandContext {
  readonly store: Store;
  /** The session key of the chat. */
  readonly key: string;
}

export interface ChatCommand {
  /** Without the slash. */
  readonly name: string;
  readonly summary: string;
  /** What may follow it, such as `N`. */
  readonly argument?: string;
  /** Returns what to show. */
  run(context: CommandContext, argument: string): Promise<string>;
}

export const CHAT_COMMANDS: readonly ChatCommand[] = [
  {
    name: "new",
    summary: "Start a new conversation; this one is kept",
    run: startOver,
  },
  {
    name: "clear",
    summary: "Move this conversation to the trash, and start a new one",
    run: clear,
  },
  {
    name: "history",
    summary: "Show the last messages",
    argument: "N",
    run: history,
  },
];

/** The command that a text is, such as `/history 20`, and what follows its name. */
export function findCommand(
  text: string,
): { readonly command: ChatCommand; readonly argument: string } | undefined {
  checkString(text, "text");
  const [found, name = "", argument = ""] = /^\/([a-z]+)(?:\s+(.*))?$/is.exec(text.trim()) ?? [];
  if (found === undefined) return undefined;
  const command = CHAT_COMMANDS.find((one) => one.name === name.toLowerCase());
  return command === undefined ? undefined : { command, argument: argument.trim() };
}

async function startOver({ store, key }: CommandContext): Promise<string> {
  const former = await store.get(key);
  const fresh = await store.startOver(key);
  if (former === undefined || former.id === fresh.id) return "This conversation is new already.";
  return "A new conversation begins here. The former one is kept.";
}

/** It can be restored from the trash, but nothing of it will be answered or sent any more. */
async function clear({ store, key }: CommandContext): Promise<string> {
  const chat = await store.get(key);
  if (chat === undefined) return "There is nothing to clear.";
  await store.delete(chat.id);
  const remove = (await Array.fromAsync(store.jobs.list({ conversation: chat.id }))).map(({ queue, id }) => ({
    queue,
    id,
  }));
  for (let from = 0; from < remove.length; from += JOBS_AT_ONCE)
    await store.jobs.change({ remove: remove.slice(from, from + JOBS_AT_ONCE) });
  return "The conversation is in the trash. A new one begins here.";
}

const JOBS_AT_ONCE = 500;
const HISTORY_DEFAULT = 10;
const HISTORY_MAX = 100;
const LINE_CHARS_MAX = 300;

async function history({ store, key }: CommandContext, argument: string): Promise<string> {
  const chat = await store.get(key);
  const last = Math.min(HISTORY_MAX, /^[1-9]\d*$/.test(argument) ? Number(argument) : HISTORY_DEFAULT);
  const { items } = chat === undefined ? { items: [] } : await chat.messages({ last });
  const lines = items.flatMap(({ message }) => {
    const words = textOf(message).replace(/\s+/g, " ").trim();
    if (words === "") return [];
    return [`${message.role === "assistant" ? "Agent" : "You"}: ${shortened(words)}`];
  });
  return lines.length === 0 ? "There are no messages yet." : lines.join("\n");
}

function shortened(words: string): string {
  const characters = [...words];
  return characters.length <= LINE_CHARS_MAX ? words : `${characters.slice(0, LINE_CHARS_MAX - 1).join("")}…`;
}
