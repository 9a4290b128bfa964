/** The part of the command table about other tools' files and other formats. */
import type { CommandSpec, Topic } from "../../command.ts";
import { BRANCH } from "../shared-options.ts";

const IN_AND_OUT: Topic = { group: "In and out", summary: "Other tools' conversations; ours for others" };

export const FORMAT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "import",
    topic: IN_AND_OUT,
    summary: "Take in conversations of other tools",
    details:
      "PATH is a file, a folder, a .zip or a .zst; what it is for is seen by its content. Without PATH the usual places are searched, and you are asked. Sources are only read, and reading them again adds only what is new.",
    args: [{ name: "PATH", optional: true, many: true }],
    options: {
      from: { type: "string", value: "FORMAT", help: "Read files as this, whatever they look like" },
      "dry-run": { type: "boolean", help: "Only say what would be taken in" },
      watch: { type: "boolean", help: "Go on taking in what the tools write, until Ctrl-C" },
      verify: { type: "boolean", help: "Read the sources again and prove that nothing is missing" },
      again: { type: "boolean", help: "From the start, also what you deleted, purged or forgot" },
      forget: { type: "boolean", help: "Move what came from PATH to the trash, and take in no more of it" },
      yes: { type: "boolean", help: "Without PATH: all that is found, without asking" },
    },
    examples: [
      "colloquy import ~/.claude ~/.codex",
      "colloquy import chatgpt-export.zip --dry-run",
      "colloquy import --watch --yes",
    ],
    load: () => import("./import.ts"),
  },
  {
    name: "export",
    topic: IN_AND_OUT,
    summary: "Write conversations in other formats",
    details:
      "FORMAT is markdown, html, json (everything), jsonl (ours), openclaw (pi, too), claude, openai or ai-sdk. Without --out it is printed. What looks like a secret is taken out of markdown and html, and elsewhere with --redact; look through it all the same before you pass it on.",
    args: [{ name: "ID|KEY", optional: true, many: true }],
    options: {
      to: {
        type: "string",
        value: "FORMAT",
        help: "markdown, html, json, jsonl, openclaw, claude, openai, ai-sdk",
      },
      out: { type: "string", value: "PATH", help: "A file, or a folder with a file for each; - prints" },
      all: { type: "boolean", help: "Every conversation, instead of ID|KEY" },
      branch: BRANCH,
      "all-branches": { type: "boolean", help: "The whole tree (json, jsonl and openclaw always have it)" },
      "no-tools": { type: "boolean", help: "Without tool calls and their results" },
      "no-thinking": { type: "boolean", help: "Without what the model thought" },
      redact: { type: "boolean", help: "Take out what looks like a secret" },
      "no-redact": { type: "boolean", help: "Leave everything as it was said" },
      force: { type: "boolean", help: "Replace files that are there" },
    },
    examples: [
      "colloquy export discord:dm:42 --to markdown | less",
      "colloquy export --all --to html --out ./archive",
    ],
    load: () => import("./export.ts"),
  },
];
