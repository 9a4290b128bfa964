/** The part of the command table about erasing, copies and integrity. */
import type { ArgumentSpec, CommandSpec, Topic } from "../../command.ts";
import { CONVERSATION, DRY_RUN } from "../shared-options.ts";

const REMOVE: Topic = { group: "Maintenance", summary: "Erase messages and old conversations" };
const CARE: Topic = { group: "Maintenance", summary: "Copy, restore and check everything" };
const MEASURE: Topic = { group: "Maintenance", summary: "Show size, check integrity, migrate" };

const PATH: ArgumentSpec = { name: "PATH" };

export const MAINTENANCE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "sessions redact",
    topic: REMOVE,
    summary: "Erase an entry, a name, a label or the key",
    details:
      "An entry stays in place, marked as redacted. A branch is called redacted-N from then on. Without its key, a conversation is found by its id. This cannot be undone, so ENTRY must be the id of the entry, not its number or label.",
    args: [CONVERSATION, { name: "ENTRY", optional: true }],
    options: {
      branch: { value: "NAME", help: "The name of a branch, instead of an entry" },
      label: { value: "TEXT", help: "Every label with this text" },
      key: { help: "The session key" },
    },
    examples: [
      "colloquy sessions redact notes:today 0198c0de-1111-7222-8333-444455556666",
      "colloquy sessions redact notes:today --branch draft",
    ],
    load: () => import("./redact.ts"),
  },
  {
    name: "sessions purge",
    topic: REMOVE,
    summary: "Permanently remove trashed conversations",
    details:
      "A KEY means the most recently deleted conversation that had it; with --force, the one that has it now, if any.",
    args: [{ ...CONVERSATION, optional: true }],
    options: {
      trash: { help: "Everything in the trash, instead of one" },
      "older-than-days": { value: "N", help: "With --trash: only if deleted more than N days ago" },
      force: { help: "Also if it is not in the trash" },
      "dry-run": DRY_RUN,
    },
    examples: [
      "colloquy sessions purge notes:today",
      "colloquy sessions purge --trash --older-than-days 30 --dry-run",
    ],
    load: () => import("./purge.ts"),
  },
  {
    name: "sessions retain",
    topic: REMOVE,
    summary: "Apply limits on age, messages and size",
    details:
      "Whole conversations go to the trash, least recently active first, but never the newest of a channel because of its length or size. With --trash-days, old conversations in the trash are purged. Nothing is removed by default.",
    options: {
      "max-age-days": { value: "N", help: "Trash conversations without a message for N days" },
      "max-messages": { value: "N", help: "Trash conversations until a channel has N messages" },
      "max-bytes": { value: "N", help: "Trash conversations until a channel has N bytes" },
      "trash-days": { value: "N", help: "Purge conversations that were deleted N days ago" },
      channel: { value: "NAME", help: "Only this channel, such as discord" },
      force: { help: "Even if the newest message is a month older than the clock" },
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
    summary: "Show how much is stored and can be freed",
    examples: ["colloquy sessions stats"],
    load: () => import("./stats.ts"),
  },
  {
    name: "sessions validate",
    topic: MEASURE,
    summary: "Check integrity (exit code 3 on damage)",
    options: {
      repair: { help: "Repair damage; what is replaced is kept beside the store" },
      from: { value: "PATH", help: "With --repair: a backup for what cannot be read any more" },
    },
    examples: [
      "colloquy sessions validate --store jsonl:./chats",
      "colloquy sessions validate --repair --store jsonl:./chats",
      "colloquy sessions validate --repair --from ./copy-of-today.db",
    ],
    load: () => import("./validate.ts"),
  },
  {
    name: "backup",
    topic: CARE,
    summary: "Copy the store to PATH, even while it is in use",
    args: [PATH],
    examples: ["colloquy backup ./copy-of-today.db", "colloquy backup ./copy --store jsonl:./chats"],
    load: () => import("./backup.ts"),
  },
  {
    name: "restore",
    topic: CARE,
    summary: "Restore the store from a backup",
    args: [PATH],
    options: {
      force: { help: "Replace an existing store, which is kept under another name" },
    },
    examples: [
      "colloquy restore ./copy-of-today.db",
      "colloquy restore ./copy --store jsonl:./chats --force",
    ],
    load: () => import("./restore.ts"),
  },
  {
    name: "doctor",
    topic: CARE,
    summary: "Check Node, state, config, store, secrets and disk",
    details:
      "Every finding says what to do. Nothing changes without --fix, and --fix deletes nothing: it tightens permissions, quarantines and rebuilds a damaged session index, corrects one that differs from the store, and writes models.json. Commands that print secrets are not run.",
    options: { fix: { help: "Fix what is safe to fix" } },
    examples: ["colloquy doctor", "colloquy doctor --fix"],
    load: () => import("./doctor.ts"),
  },
  {
    name: "sessions migrate",
    topic: MEASURE,
    summary: "Copy to another engine, or legacy to v2",
    details:
      "Copies every conversation, including the trash, with its ids, branches and times, reads it back and compares it. The source does not change. With v2, the files of a folder are rewritten in place and the originals are kept in legacy/. You can stop it at any time; the same command continues.",
    required: "--to TARGET",
    options: {
      to: { value: "TARGET", help: "sqlite:FILE, jsonl:FOLDER, or v2" },
      from: { value: "TARGET", help: "The source, instead of --store; also a folder" },
      "dry-run": { help: "Show what would be done, without doing it" },
    },
    examples: [
      "colloquy sessions migrate --to sqlite:agent.db --store jsonl:./chats",
      "colloquy sessions migrate --from ~/.goclaw/sessions --to v2 --dry-run",
    ],
    load: () => import("./migrate.ts"),
  },
];
