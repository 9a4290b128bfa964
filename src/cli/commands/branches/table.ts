/** The part of the command table about branches and about what a model gets. */
import type { ArgumentSpec, CommandSpec, OptionSpec, Topic } from "../../command.ts";

const GOING: Topic = { group: "Branches", summary: "Go another way from any entry" };
const LOOKING: Topic = { group: "Branches", summary: "Draw the tree; see what differs" };
const TIDYING: Topic = { group: "Branches", summary: "Make one path main; remove the others" };
const CONTEXT: Topic = { group: "Conversations", summary: "What a model would get; shorten it" };

const CONVERSATION: ArgumentSpec = { name: "ID|KEY" };
const DRY_RUN: OptionSpec = { type: "boolean", help: "Only say what would be removed" };

export const BRANCHES: readonly CommandSpec[] = [
  {
    name: "sessions branch",
    topic: GOING,
    summary: "Make a branch, to go on another way",
    details:
      'ENTRY is the id of an entry, its number in "sessions show", or its label. What is there stays as it is: a branch begins with everything up to that entry.',
    args: [CONVERSATION],
    options: {
      from: {
        type: "string",
        value: "ENTRY",
        help: "Behind this entry: id, number or label (default: the last)",
      },
      "from-start": { type: "boolean", help: "Before the first entry" },
      name: { type: "string", value: "NAME", help: "Default: branch-1, branch-2 …" },
      checkout: { type: "boolean", help: "Also go there, as sessions checkout does" },
    },
    examples: [
      "colloquy sessions branch notes:today --name idea --checkout",
      "colloquy sessions branch notes:today --from 3",
    ],
    load: () => import("./branch.ts"),
  },
  {
    name: "sessions checkout",
    topic: GOING,
    summary: "Go to a branch, and append there",
    args: [CONVERSATION, { name: "NAME" }],
    options: {},
    examples: ["colloquy sessions checkout notes:today idea"],
    load: () => import("./checkout.ts"),
  },
  {
    name: "sessions branches",
    topic: LOOKING,
    summary: "Draw the branches as a tree",
    args: [CONVERSATION],
    options: {},
    examples: ["colloquy sessions branches notes:today"],
    load: () => import("./branches.ts"),
  },
  {
    name: "sessions compare",
    topic: LOOKING,
    summary: "What each of two branches added",
    args: [CONVERSATION, { name: "A" }, { name: "B" }],
    options: {},
    examples: ["colloquy sessions compare notes:today main idea"],
    load: () => import("./compare.ts"),
  },
  {
    name: "sessions flatten",
    topic: TIDYING,
    summary: "Make the checked-out path the branch main",
    details:
      "Depth starts at 1 again. The former main is called former-main, and all branches stay until they are pruned.",
    args: [CONVERSATION],
    options: {},
    examples: ["colloquy sessions flatten notes:today"],
    load: () => import("./flatten.ts"),
  },
  {
    name: "sessions prune",
    topic: TIDYING,
    summary: "Remove branches for good",
    details:
      "A branch goes when one of the options names it; never main, never the checked-out one, and never what another branch shares. Nothing is removed by default.",
    args: [CONVERSATION],
    options: {
      "older-than-days": { type: "string", value: "N", help: "Not written for more than N days" },
      keep: { type: "string", value: "N", help: "All but the N that were written last" },
      abandoned: {
        type: "boolean",
        help: "Left behind: no branch leaves them, and the checked-out one is newer",
      },
      name: { type: "string", value: "NAME", help: "This one; may be given again", multiple: true },
      "dry-run": DRY_RUN,
    },
    examples: [
      "colloquy sessions prune notes:today --abandoned --dry-run",
      "colloquy sessions prune notes:today --name idea --name branch-1",
    ],
    load: () => import("./prune.ts"),
  },
];

export const MODEL: readonly CommandSpec[] = [
  {
    name: "sessions context",
    topic: CONTEXT,
    summary: "Show what a model would get of it",
    args: [CONVERSATION],
    options: {
      "max-tokens": { type: "string", value: "N", help: "The model's window" },
      "reserve-for-output": { type: "string", value: "N", help: "Left free for the answer (default 2048)" },
      strategy: { type: "string", value: "NAME", help: "auto (default), full, sliding or sandwich" },
      last: { type: "string", value: "N", help: "For sliding: so many messages (default 50)" },
      branch: { type: "string", value: "NAME", help: "This branch, not the checked-out one" },
    },
    examples: [
      "colloquy sessions context notes:today --max-tokens 8000",
      "colloquy sessions context notes:today --max-tokens 8000 --strategy sliding --last 20",
    ],
    load: () => import("../sessions/context.ts"),
  },
  {
    name: "sessions compact",
    topic: CONTEXT,
    summary: "Put a summary in place of the beginning",
    details:
      "For a model only: every message stays. You write the summary, because this version of Colloquy has no model to ask. After an earlier compaction it must say what that one said, too.",
    args: [CONVERSATION],
    options: {
      summary: { type: "string", value: "TEXT", help: "What the beginning said; - reads standard input" },
      "keep-messages": { type: "string", value: "N", help: "Leave about so many messages at the end" },
      "keep-tokens": { type: "string", value: "N", help: "Leave about so many tokens (default 20000)" },
      undo: { type: "string", value: "ENTRY", help: "Cancel this compaction instead: id or number" },
    },
    examples: [
      'colloquy sessions compact notes:today --summary "We chose SQLite." --keep-messages 10',
      "colloquy sessions compact notes:today --summary - < summary.txt",
      "colloquy sessions compact notes:today --undo 57",
    ],
    load: () => import("../sessions/compact.ts"),
  },
];
