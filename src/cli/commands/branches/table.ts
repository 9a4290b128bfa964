/** The part of the command table about branches. */
import type { CommandSpec, Topic } from "../../command.ts";
import { CONVERSATION, DRY_RUN } from "../shared-options.ts";

const BRANCH_WRITE: Topic = { group: "Branches", summary: "Go another way from any entry" };
const BRANCH_READ: Topic = { group: "Branches", summary: "Draw the tree; see what differs" };
const BRANCH_TIDY: Topic = { group: "Branches", summary: "Make one path main; remove the others" };

export const BRANCH_COMMANDS: readonly CommandSpec[] = [
  {
    name: "sessions branch",
    topic: BRANCH_WRITE,
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
    topic: BRANCH_WRITE,
    summary: "Go to a branch, and append there",
    args: [CONVERSATION, { name: "NAME" }],
    options: {},
    examples: ["colloquy sessions checkout notes:today idea"],
    load: () => import("./checkout.ts"),
  },
  {
    name: "sessions branches",
    topic: BRANCH_READ,
    summary: "Draw the branches as a tree",
    args: [CONVERSATION],
    options: {},
    examples: ["colloquy sessions branches notes:today"],
    load: () => import("./branches.ts"),
  },
  {
    name: "sessions compare",
    topic: BRANCH_READ,
    summary: "What each of two branches added",
    args: [CONVERSATION, { name: "A" }, { name: "B" }],
    options: {},
    examples: ["colloquy sessions compare notes:today main idea"],
    load: () => import("./compare.ts"),
  },
  {
    name: "sessions flatten",
    topic: BRANCH_TIDY,
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
    topic: BRANCH_TIDY,
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
