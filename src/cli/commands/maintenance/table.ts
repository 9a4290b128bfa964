/** The part of the command table about erasing, copies and health. */
import type { ArgumentSpec, CommandSpec, Topic } from "../../command.ts";
import { CONVERSATION, DRY_RUN } from "../shared-options.ts";

const REMOVE: Topic = { group: "Care", summary: "A message, a conversation, what is old" };
const COPY: Topic = { group: "Care", summary: "Copy the store; put a copy in its place" };
const MEASURE: Topic = { group: "Care", summary: "How much is stored, is it whole, move it" };
const CHECK: Topic = { group: "Care", summary: "Check versions, state, store and disk" };

const PATH: ArgumentSpec = { name: "PATH" };

export const MAINTENANCE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "sessions redact",
    topic: REMOVE,
    summary: "Erase what an entry says; its place stays",
    details: "This cannot be undone, so ENTRY is the id of the entry and nothing else.",
    args: [CONVERSATION, { name: "ENTRY" }],
    options: {},
    examples: ["colloquy sessions redact notes:today 0198c0de-1111-7222-8333-444455556666"],
    load: () => import("./redact.ts"),
  },
  {
    name: "sessions purge",
    topic: REMOVE,
    summary: "Remove what is in the trash for good",
    args: [{ name: "ID", optional: true }],
    options: {
      trash: { type: "boolean", help: "Everything in the trash, instead of ID" },
      "older-than-days": { type: "string", value: "N", help: "Of the trash: deleted more than N days ago" },
      force: { type: "boolean", help: "Also when it is not in the trash; takes a KEY or ID" },
      "dry-run": DRY_RUN,
    },
    examples: [
      "colloquy sessions purge 0198c0de-1111-7222-8333-444455556666",
      "colloquy sessions purge --trash --older-than-days 30 --dry-run",
    ],
    load: () => import("./purge.ts"),
  },
  {
    name: "sessions retain",
    topic: REMOVE,
    summary: "Apply limits of age, number and size",
    details:
      "Whole conversations go to the trash, those that were quiet longest first, and never the newest of a channel for its length or size. With --trash-days the trash itself is cleared. Nothing is removed by default.",
    args: [],
    options: {
      "max-age-days": {
        type: "string",
        value: "N",
        help: "Trash conversations without a message for N days",
      },
      "max-messages": {
        type: "string",
        value: "N",
        help: "Trash conversations until a channel has N messages",
      },
      "max-bytes": { type: "string", value: "N", help: "Trash conversations until a channel has N bytes" },
      "trash-days": { type: "string", value: "N", help: "Purge what has been in the trash for N days" },
      channel: { type: "string", value: "NAME", help: "Only this channel, such as discord" },
      "dry-run": DRY_RUN,
    },
    examples: [
      "colloquy sessions retain --max-age-days 365 --trash-days 30 --dry-run",
      "colloquy sessions retain --channel discord --max-messages 100000",
    ],
    load: () => import("./retain.ts"),
  },
  {
    name: "sessions stats",
    topic: MEASURE,
    summary: "How much is stored, what could be freed",
    args: [],
    options: {},
    examples: ["colloquy sessions stats"],
    load: () => import("./stats.ts"),
  },
  {
    name: "sessions validate",
    topic: MEASURE,
    summary: "Read everything and report damage (exit code 3)",
    args: [],
    options: {
      repair: { type: "boolean", help: "Set bad lines aside, count again; nothing is deleted" },
    },
    examples: [
      "colloquy sessions validate --store jsonl:./chats",
      "colloquy sessions validate --repair --store jsonl:./chats",
    ],
    load: () => import("./validate.ts"),
  },
  {
    name: "backup",
    topic: COPY,
    summary: "Copy the store to PATH, while others go on writing",
    args: [PATH],
    options: {},
    examples: ["colloquy backup ./copy-of-today.db", "colloquy backup ./copy --store jsonl:./chats"],
    load: () => import("./backup.ts"),
  },
  {
    name: "restore",
    topic: COPY,
    summary: "Make a store of a backup, checked before it counts",
    args: [PATH],
    options: { force: { type: "boolean", help: "Move the store that is there aside" } },
    examples: [
      "colloquy restore ./copy-of-today.db",
      "colloquy restore ./copy --store jsonl:./chats --force",
    ],
    load: () => import("./restore.ts"),
  },
  {
    name: "doctor",
    topic: CHECK,
    summary: "Check Node, state, config, store, secrets, disk",
    details:
      "Every finding says what to do. Nothing is changed without --fix, and with it nothing is deleted: permissions are closed, a damaged session index is set aside and made anew, one that does not say what the store says is corrected, models.json is written. No command that gives a secret is run.",
    args: [],
    options: { fix: { type: "boolean", help: "Put right what is safe to put right" } },
    examples: ["colloquy doctor", "colloquy doctor --fix"],
    load: () => import("./doctor.ts"),
  },
  {
    name: "sessions migrate",
    topic: MEASURE,
    summary: "Move to another engine, or older files to format v2",
    details:
      "Every conversation, those in the trash too, is copied with its ids, branches and times, read back and compared. The source is only read. With v2 the files of a folder are rewritten where they are, and kept in legacy/. It can be stopped at any time; the same command goes on.",
    args: [],
    options: {
      to: { type: "string", value: "TARGET", help: "sqlite:FILE, jsonl:FOLDER, or v2" },
      from: {
        type: "string",
        value: "TARGET",
        help: "Instead of --store; with v2 also a folder of older files",
      },
      "dry-run": { type: "boolean", help: "Only say what would be done" },
    },
    examples: [
      "colloquy sessions migrate --to sqlite:agent.db --store jsonl:./chats",
      "colloquy sessions migrate --from ~/.goclaw/sessions --to v2 --dry-run",
    ],
    load: () => import("./migrate.ts"),
  },
];
