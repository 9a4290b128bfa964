/** The part of the command table about branches. */
import type { CommandSpec, Topic } from "../../command.ts";
import { CONVERSATION, DRY_RUN } from "../shared-options.ts";

const BRANCH_WRITE: Topic = { group: "Branches", summary: "Branch at any entry; switch branches" };
const BRANCH_READ: Topic = { group: "Branches", summary: "Show the tree; compare two branches" };
const BRANCH_TIDY: Topic = { group: "Branches", summary: "Make one path main; remove branches" };

export const BRANCH_COMMANDS: readonly CommandSpec[] = [
  {
    name: "sessions branch",
    topic: BRANCH_WRITE,
    summary: "Start a branch to continue differently",
    details:
      'ENTRY is the id of an entry, its number in "sessions show", or its label. Existing entries do not change: a branch shares everything up to that entry.',
    args: [CONVERSATION],
    options: {
      from: { value: "ENTRY", help: "After this entry: id, number or label (default: the last)" },
      "from-start": { help: "Before the first entry", without: ["from"] },
      name: { value: "NAME", help: "Name of the branch (default: branch-1, branch-2 …)" },
      checkout: { help: "Check out the new branch" },
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
    summary: "Switch to a branch; appends go there",
    args: [CONVERSATION, { name: "NAME" }],
    examples: ["colloquy sessions checkout notes:today idea"],
    load: () => import("./checkout.ts"),
  },
  {
    name: "sessions branches",
    topic: BRANCH_READ,
    summary: "Show the branches as a tree",
    args: [CONVERSATION],
    examples: ["colloquy sessions branches notes:today"],
    load: () => import("./branches.ts"),
  },
  {
    name: "sessions compare",
    topic: BRANCH_READ,
    summary: "Show what each of two branches added",
    args: [CONVERSATION, { name: "A" }, { name: "B" }],
    examples: ["colloquy sessions compare notes:today main idea"],
    load: () => import("./compare.ts"),
  },
  {
    name: "sessions flatten",
    topic: BRANCH_TIDY,
    summary: "Make the checked-out path the branch main",
    details:
      "Depth starts at 1 again. The previous main is renamed to former-main, and all branches stay until they are pruned.",
    args: [CONVERSATION],
    examples: ["colloquy sessions flatten notes:today"],
    load: () => import("./flatten.ts"),
  },
  {
    name: "sessions prune",
    topic: BRANCH_TIDY,
    summary: "Permanently remove branches",
    details:
      "Removes the branches that are old or abandoned, except the N of --keep, but never main, the checked-out branch, or entries that another branch shares. Nothing is removed by default.",
    args: [CONVERSATION],
    options: {
      "older-than-days": { value: "N", help: "Branches without a write for more than N days" },
      keep: { value: "N", help: "All but the N most recently written" },
      abandoned: { help: "Branches without children that are older than the checked-out one" },
      name: {
        value: "NAME",
        help: "This branch; may be repeated",
        multiple: true,
        without: ["older-than-days", "keep", "abandoned"],
      },
      "dry-run": DRY_RUN,
    },
    examples: [
      "colloquy sessions prune notes:today --abandoned --dry-run",
      "colloquy sessions prune notes:today --name idea --name branch-1",
    ],
    load: () => import("./prune.ts"),
  },
];
