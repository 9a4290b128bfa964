/** The part of the command table about other tools' files and other formats. */
import type { CommandSpec, Topic } from "../../command.ts";
import { BRANCH, CONVERSATION } from "../shared-options.ts";

const IN_AND_OUT: Topic = { group: "Conversations", summary: "Read and write other tools' formats" };

export const FORMAT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "import",
    topic: IN_AND_OUT,
    summary: "Import conversations from other tools",
    details:
      "PATH is a file, a folder, a .zip or a .zst; its format is detected from its content. Without PATH, the usual places are searched and you choose. Sources are never changed, and importing them again adds only what is new.",
    args: [{ name: "PATH", optional: true, many: true }],
    options: {
      from: { value: "FORMAT", help: "Read files in this format instead of detecting it" },
      "dry-run": { help: "Show what would be imported, without importing it" },
      watch: { help: "Keep importing what the tools write, until Ctrl-C" },
      install: { help: "With --watch: write the file of a user service that does it" },
      verify: { help: "Read the sources again and check that nothing is missing" },
      again: { help: "Start over, and bring back what you deleted or forgot" },
      forget: { help: "Move what came from PATH to the trash, and ignore PATH from now on" },
      yes: { help: "Without PATH: import everything found, without asking" },
    },
    examples: [
      "colloquy import ~/.claude ~/.codex",
      "colloquy import chatgpt-export.zip --dry-run",
      "colloquy import --watch --yes",
      "colloquy import --watch --install --yes",
    ],
    load: () => import("./import.ts"),
  },
  {
    name: "export",
    topic: IN_AND_OUT,
    summary: "Export conversations to other formats",
    details:
      "FORMAT is markdown, html, json (complete), jsonl (Colloquy), openclaw (also for pi), claude-code, codex, claude, openai, ai-sdk, or original: the imported files as they were, below the folder --out. Without --out, the export is printed. Strings that look like secrets are removed from markdown and html, and with --redact from other formats too; review the result before you share it.",
    args: [{ ...CONVERSATION, optional: true, many: true }],
    options: {
      to: {
        value: "FORMAT",
        help: "markdown, html, json, jsonl, openclaw, claude-code, codex, claude, openai, ai-sdk, original",
      },
      out: { value: "PATH", help: "A file, or a folder for one file each; - prints" },
      all: { help: "All conversations, instead of ID|KEY" },
      branch: BRANCH,
      "all-branches": { help: "The whole tree (always in json, jsonl and openclaw)" },
      "no-tools": { help: "Leave out tool calls and their results" },
      "no-thinking": { help: "Leave out thinking" },
      redact: { help: "Remove strings that look like secrets" },
      "no-redact": { help: "Keep strings that look like secrets" },
      force: { help: "Overwrite existing files" },
    },
    examples: [
      "colloquy export discord:dm:42 --to markdown | less",
      "colloquy export --all --to html --out ./archive",
    ],
    load: () => import("./export.ts"),
  },
  {
    name: "resume",
    topic: IN_AND_OUT,
    summary: "Continue a conversation in the tool it came from",
    details:
      "Puts the files of an imported conversation back where its tool looks for them, only where nothing is, and prints the command that continues it there; with --run it is started. For Claude Code, Codex, pi, Gemini CLI, OpenClaw and opencode.",
    args: [CONVERSATION],
    options: { run: { help: "Start the tool instead of printing its command" } },
    examples: ["colloquy resume claude-code:6f1c…", "colloquy resume claude-code:6f1c… --run"],
    load: () => import("./resume.ts"),
  },
];
