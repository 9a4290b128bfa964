/** The part of the command table about conversations. */
import { type CommandSpec, type OptionSpec, READ, type Topic } from "../../command.ts";
import { BRANCH, CONVERSATION } from "../shared-options.ts";

const WRITE: Topic = { group: "Conversations", summary: "Add messages, set titles and labels" };
const TRASH: Topic = { group: "Conversations", summary: "Move to the trash, and back" };
const CONTEXT: Topic = { group: "Conversations", summary: "Show what a model gets; summarise it" };

const LAST: OptionSpec = { value: "N", help: "Only the last N" };

export const SESSION_COMMANDS: readonly CommandSpec[] = [
  {
    name: "sessions list",
    topic: READ,
    summary: "List conversations, newest first",
    options: {
      trash: { help: "List deleted conversations instead" },
      channel: { value: "NAME", help: "Only this channel, such as discord" },
      title: { value: "TEXT", help: "Only titles that contain TEXT" },
      model: { value: "NAME", help: "Only conversations with this model" },
      after: { value: "TIME", help: "Only if active at TIME or later: a day or a time" },
      before: { value: "TIME", help: "Only if last active before TIME" },
      limit: { value: "N", help: "Show at most N (default 50, maximum 10000)" },
      cursor: { value: "C", help: "Continue after the previous page" },
    },
    examples: [
      "colloquy sessions list",
      "colloquy sessions list --channel discord --after 2026-03-01",
      "colloquy sessions list --limit 10 --json",
    ],
    load: () => import("./list.ts"),
  },
  {
    name: "sessions show",
    topic: READ,
    summary: "Show a conversation and its entries",
    args: [CONVERSATION],
    options: {
      branch: BRANCH,
      all: { help: "Include all branches and the changes made to them", without: ["branch"] },
      last: LAST,
      at: {
        value: "ENTRY",
        help: "Only this entry (id, number or label) and those around it",
        without: ["last"],
      },
      context: { short: "C", value: "N", help: "With --at: N entries before and after it (default 3)" },
      follow: { short: "f", help: "Keep showing what is added, until Ctrl-C", without: ["at"] },
    },
    examples: [
      "colloquy sessions show discord:dm:42 --last 20",
      "colloquy sessions show discord:dm:42 --at 57 -C 3",
      "colloquy sessions show discord:dm:42 --last 5 --follow",
    ],
    load: () => import("./show.ts"),
  },
  {
    name: "sessions history",
    topic: READ,
    summary: "Read the messages of a conversation",
    args: [CONVERSATION],
    options: { branch: BRANCH, last: LAST },
    examples: ["colloquy sessions history discord:dm:42"],
    load: () => import("./history.ts"),
  },
  {
    name: "sessions append",
    topic: WRITE,
    summary: "Add messages to a conversation",
    details: "A new KEY creates a conversation; anything else that is unknown is an error.",
    args: [{ name: "KEY|ID" }],
    required: "(--role ROLE --content TEXT | --jsonl -)",
    textOption: "content",
    options: {
      role: { value: "ROLE", help: "user, assistant or system" },
      content: { value: "TEXT", help: "The text; - reads standard input" },
      jsonl: {
        value: "-",
        help: "Read one message per line from standard input, all or none",
        without: ["role", "content", "id"],
      },
      branch: BRANCH,
      id: { value: "ID", help: "Id of the new entry; a retry with it changes nothing" },
      "operation-id": { value: "ID", help: "Id of this append; a retry with it changes nothing" },
      "expected-head": { value: "ID", help: 'Fail unless the last entry is ID ("" for none)' },
    },
    examples: [
      'colloquy sessions append notes:today --role user --content "Buy milk"',
      "colloquy sessions append notes:today --jsonl - < messages.jsonl",
    ],
    load: () => import("./append.ts"),
  },
  {
    name: "sessions title",
    topic: WRITE,
    summary: 'Set the title; "" removes it',
    args: [CONVERSATION, { name: "TITLE", phrase: "title" }],
    examples: ['colloquy sessions title notes:today "Shopping list"'],
    load: () => import("./title.ts"),
  },
  {
    name: "sessions label",
    topic: WRITE,
    summary: "Label an entry to find it again",
    args: [CONVERSATION, { name: "ENTRY" }, { name: "TEXT", optional: true, phrase: "label" }],
    options: { remove: { help: "Remove the label" } },
    examples: [
      'colloquy sessions label notes:today 3 "before the change"',
      "colloquy sessions label notes:today 3 --remove",
    ],
    load: () => import("./label.ts"),
  },
  {
    name: "sessions delete",
    topic: TRASH,
    summary: "Move a conversation to the trash",
    args: [CONVERSATION],
    examples: ["colloquy sessions delete notes:today"],
    load: () => import("./delete.ts"),
  },
  {
    name: "sessions restore",
    topic: TRASH,
    summary: "Restore a conversation from the trash",
    details: "A KEY means the most recently deleted conversation that had it.",
    args: [CONVERSATION],
    examples: ["colloquy sessions restore notes:today"],
    load: () => import("./restore.ts"),
  },
  {
    name: "sessions context",
    topic: CONTEXT,
    summary: "Show what a model would receive",
    args: [CONVERSATION],
    required: "--max-tokens N",
    options: {
      "max-tokens": { value: "N", help: "Size of the model's context window" },
      as: {
        value: "API",
        help: "Print the request for an API: anthropic, openai, openai-responses or ai-sdk",
      },
      "reserve-for-output": { value: "N", help: "Keep free for the answer (default 2048)" },
      strategy: { value: "NAME", help: "auto (default), full, sliding or sandwich" },
      last: { value: "N", help: "With sliding: the last N messages (default 50)" },
      branch: BRANCH,
    },
    examples: [
      "colloquy sessions context notes:today --max-tokens 8000",
      "colloquy sessions context notes:today --max-tokens 8000 --strategy sliding --last 20",
      "colloquy sessions context notes:today --max-tokens 8000 --as anthropic",
    ],
    load: () => import("./context.ts"),
  },
  {
    name: "sessions compact",
    topic: CONTEXT,
    summary: "Replace the beginning with a summary",
    details:
      "The summary replaces the beginning only in what a model receives; every message stays in the conversation. The model of the session writes the summary, unless you pass one. After an earlier compaction, yours must cover that summary as well.",
    args: [CONVERSATION],
    textOption: "summary",
    options: {
      summary: { value: "TEXT", help: "Your summary; - reads standard input" },
      model: { value: "PROVIDER/MODEL", help: "Ask this model instead of that of the session" },
      "keep-messages": { value: "N", help: "Keep about N messages at the end" },
      "keep-tokens": { value: "N", help: "Keep about N tokens at the end (default 20000)" },
      undo: {
        value: "ENTRY",
        help: "Undo this compaction: id or number",
        without: ["summary", "model", "keep-messages", "keep-tokens"],
      },
    },
    examples: [
      "colloquy sessions compact cli:default --keep-messages 10",
      'colloquy sessions compact notes:today --summary "We chose SQLite." --keep-messages 10',
      "colloquy sessions compact notes:today --summary - < summary.txt",
      "colloquy sessions compact notes:today --undo 57",
    ],
    load: () => import("./compact.ts"),
  },
];
