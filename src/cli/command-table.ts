/**
 * Every command and option of this version. Parsing, help texts and a test of
 * the reference page all read this one table.
 */

import type { ArgumentSpec, CommandSpec, OptionSpec, Topic } from "./command.ts";
import { AUTH_COMMANDS } from "./commands/auth/table.ts";
import { BRANCHES, MODEL } from "./commands/branches/table.ts";
import { CONFIG_COMMANDS } from "./commands/config/table.ts";
import { FORMATS, MIGRATE } from "./commands/formats/table.ts";
import { CARE, ERASING } from "./commands/maintenance/table.ts";
import { MODELS_COMMANDS } from "./commands/models/table.ts";

export const GLOBAL_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: { type: "boolean", help: "Print JSON, for programs; errors too" },
  store: { type: "string", value: "TARGET", help: "sqlite:FILE or jsonl:FOLDER (or COLLOQUY_STORE)" },
  "state-dir": { type: "string", value: "DIR", help: "Default ~/.colloquy (or COLLOQUY_STATE_DIR)" },
  profile: { type: "string", value: "NAME", help: "The state folder ~/.colloquy-NAME instead" },
  help: { type: "boolean", short: "h", help: "Show how to use the command" },
};

const READING: Topic = { group: "Conversations", summary: "Find and read conversations" };
const WRITING: Topic = { group: "Conversations", summary: "Write; a new KEY makes a conversation" };
const TRASH: Topic = { group: "Conversations", summary: "To the trash, and back" };
const HELPING: Topic = { group: "Help", summary: "Explain a command" };

const CONVERSATION: ArgumentSpec = { name: "ID|KEY" };
const LAST: OptionSpec = { type: "string", value: "N", help: "Only the newest N" };
const BRANCH: OptionSpec = { type: "string", value: "NAME", help: "This branch, not the checked-out one" };

const FIRST_SCREEN: CommandSpec = {
  name: "",
  topic: HELPING,
  summary: "Where the store is, and the latest conversations",
  args: [],
  options: { version: { type: "boolean", help: "Print the version" } },
  examples: ["colloquy"],
  load: () => import("./commands/start/first-screen.ts"),
};

const CONVERSATIONS: readonly CommandSpec[] = [
  {
    name: "sessions list",
    topic: READING,
    summary: "List conversations, latest first",
    args: [],
    options: {
      trash: { type: "boolean", help: "The deleted ones instead" },
      limit: { type: "string", value: "N", help: "At most N (default 50, at most 10000)" },
      cursor: { type: "string", value: "C", help: "Go on where the page before ended" },
    },
    examples: ["colloquy sessions list", "colloquy sessions list --limit 10 --json"],
    load: () => import("./commands/sessions/list.ts"),
  },
  {
    name: "sessions show",
    topic: READING,
    summary: "Show a conversation and its entries",
    args: [CONVERSATION],
    options: {
      branch: BRANCH,
      all: { type: "boolean", help: "Entries of all branches, and what was done to them" },
      last: LAST,
    },
    examples: ["colloquy sessions show discord:dm:42 --last 20"],
    load: () => import("./commands/sessions/show.ts"),
  },
  {
    name: "sessions history",
    topic: READING,
    summary: "Read the messages of a conversation",
    args: [CONVERSATION],
    options: { branch: BRANCH, last: LAST },
    examples: ["colloquy sessions history discord:dm:42 | less"],
    load: () => import("./commands/sessions/history.ts"),
  },
  {
    name: "sessions append",
    topic: WRITING,
    summary: "Add messages; a new KEY makes a conversation",
    args: [{ name: "KEY|ID" }],
    options: {
      role: { type: "string", value: "ROLE", help: "user, assistant or system" },
      content: { type: "string", value: "TEXT", help: "The text; - reads standard input" },
      jsonl: { type: "string", value: "-", help: "One message a line from standard input, all or none" },
      branch: BRANCH,
      id: { type: "string", value: "ID", help: "The entry's id; a retry with it changes nothing" },
      "operation-id": { type: "string", value: "ID", help: "Names this append; a retry changes nothing" },
      "expected-head": {
        type: "string",
        value: "ID",
        help: 'Fail unless ID is the last entry ("": none yet)',
      },
    },
    examples: [
      'colloquy sessions append notes:today --role user --content "Buy milk"',
      "colloquy sessions append notes:today --jsonl - < messages.jsonl",
    ],
    load: () => import("./commands/sessions/append.ts"),
  },
  {
    name: "sessions title",
    topic: WRITING,
    summary: 'Name a conversation; "" takes the title away',
    args: [CONVERSATION, { name: "TITLE", phrase: "title" }],
    options: {},
    examples: ['colloquy sessions title notes:today "Shopping list"'],
    load: () => import("./commands/sessions/title.ts"),
  },
  {
    name: "sessions label",
    topic: WRITING,
    summary: "Name an entry, to find it again",
    args: [CONVERSATION, { name: "ENTRY" }, { name: "TEXT", optional: true, phrase: "label" }],
    options: { remove: { type: "boolean", help: "Take the label away, instead of TEXT" } },
    examples: [
      'colloquy sessions label notes:today 3 "before the change"',
      "colloquy sessions label notes:today 3 --remove",
    ],
    load: () => import("./commands/sessions/label.ts"),
  },
  {
    name: "sessions delete",
    topic: TRASH,
    summary: "Move a conversation to the trash",
    args: [CONVERSATION],
    options: {},
    examples: ["colloquy sessions delete notes:today"],
    load: () => import("./commands/sessions/delete.ts"),
  },
  {
    name: "sessions restore",
    topic: TRASH,
    summary: "Take a conversation out of the trash",
    args: [{ name: "ID" }],
    options: {},
    examples: ["colloquy sessions restore 0198c0de-1111-7222-8333-444455556666"],
    load: () => import("./commands/sessions/restore.ts"),
  },
];

const HELP: CommandSpec = {
  name: "help",
  topic: HELPING,
  summary: "Explain a command",
  args: [{ name: "COMMAND", optional: true }],
  options: {},
  examples: ["colloquy help sessions append"],
  load: () => import("./commands/start/help.ts"),
};

export const COMMANDS: readonly CommandSpec[] = [
  FIRST_SCREEN,
  ...CONVERSATIONS,
  ...BRANCHES,
  ...MODEL,
  ...FORMATS,
  ...ERASING,
  ...CARE,
  MIGRATE,
  ...CONFIG_COMMANDS,
  ...AUTH_COMMANDS,
  ...MODELS_COMMANDS,
  HELP,
];
