/** The commands that can be typed in a chat on a terminal: those of every channel, and some of its own. */
import { CHAT_COMMANDS } from "../../../channel/commands/chat-commands.ts";
import { closestWord } from "../../../util/closest-word.ts";
import { safeLine, safeText } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { wrapHard, wrapPairs } from "../../terminal/wrap.ts";
import type { ChatAgent } from "./chat-agent.ts";
import { branchCommand, branchNames, treeCommand } from "./commands/branches.ts";
import { compactNow } from "./commands/compact.ts";
import { modelChoices, modelCommand } from "./commands/model.ts";
import { searchCommand } from "./commands/search.ts";
import { sessionKeys, sessionsCommand } from "./commands/sessions.ts";

/** The user wants to leave. */
export const LEAVE: unique symbol = Symbol("leave");

interface SlashCommand {
  readonly name: string;
  readonly argument?: string;
  readonly summary: string;
  /** Returns what to show. */
  readonly run: (call: Call, agent: ChatAgent, argument: string) => Promise<readonly string[] | typeof LEAVE>;
  /** What the argument may be. */
  readonly complete?: (agent: ChatAgent) => Promise<readonly string[]>;
}

const SHARED: readonly SlashCommand[] = CHAT_COMMANDS.map(({ name, summary, argument, run }) => ({
  name,
  summary,
  ...(argument === undefined ? {} : { argument }),
  run: async ({ out }, { store, key }, given) =>
    safeText(await run({ store, key }, given))
      .split("\n")
      .flatMap((line) => wrapHard(line, out.columns)),
}));

const COMMANDS: readonly SlashCommand[] = [
  ...SHARED,
  {
    name: "sessions",
    argument: "NAME",
    summary: "List conversations, or switch to one",
    run: sessionsCommand,
    complete: sessionKeys,
  },
  {
    name: "branch",
    argument: "NAME",
    summary: "Start a branch here, or switch to one",
    run: branchCommand,
    complete: branchNames,
  },
  { name: "tree", summary: "Show the branches of this conversation", run: treeCommand },
  { name: "compact", summary: "Replace the older messages by a summary", run: compactNow },
  { name: "search", argument: "TEXT", summary: "Search all conversations", run: searchCommand },
  {
    name: "model",
    argument: "PROVIDER/MODEL",
    summary: "Show the model of this session, or choose another; default goes back",
    run: modelCommand,
    complete: modelChoices,
  },
  { name: "help", summary: "Show these commands", run: help },
  { name: "quit", summary: "Leave", run: async () => LEAVE },
];

/** What to show, or `undefined` if the text is a message. */
export async function runSlashCommand(
  call: Call,
  agent: ChatAgent,
  text: string,
): Promise<readonly string[] | typeof LEAVE | undefined> {
  const [, name, argument = ""] = /^\/([a-z]+)(?:\s+(.*))?$/is.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  const command = COMMANDS.find((one) => one.name === name.toLowerCase());
  if (command !== undefined) return command.run(call, agent, argument.trim());
  const close = closestWord(
    name,
    COMMANDS.map((one) => one.name),
  );
  const hint = close === undefined ? "" : `Did you mean /${close}? `;
  return [`Unknown command /${safeLine(name)}. ${hint}/help shows all of them.`];
}

/** For the Tab key. */
export async function completionsOf(agent: ChatAgent, text: string): Promise<readonly string[]> {
  const [, name, space] = /^\/([a-z]*)(\s+)?/i.exec(text) ?? [];
  if (name === undefined) return [];
  if (space === undefined) return COMMANDS.map((command) => `/${command.name}`);
  return (await COMMANDS.find((command) => command.name === name)?.complete?.(agent)) ?? [];
}

async function help({ out }: Call): Promise<readonly string[]> {
  const pairs = COMMANDS.map(
    ({ name, argument, summary }) =>
      [argument === undefined ? `/${name}` : `/${name} [${argument}]`, summary] as const,
  );
  const keys = [
    ["Tab", "Complete a command"],
    ["\\ Enter, Alt-Enter", "A new line in the message"],
    ["Up, Down", "Earlier messages"],
    ["Ctrl-C", "Stop the answer; twice: leave"],
  ] as const;
  return wrapPairs([...pairs, ...keys], out.columns);
}
