/** The part of the command table about memory. */
import { AGENT, type CommandSpec } from "../../command.ts";

export const MEMORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: "memory add",
    topic: AGENT,
    summary: "Remember a note or a Markdown file",
    details:
      "TEXT is the note, or - to read it from standard input. A path of an existing file means the file.",
    args: [{ name: "TEXT|FILE", phrase: "the note" }],
    options: {
      source: { value: "NAME", help: "The name of the note; it replaces the note of this name" },
      importance: { value: "N", help: "From 0 to 1 (default 0.5)" },
    },
    examples: [
      'colloquy memory add "The harbour closes at nine"',
      "colloquy memory add - --source note:port",
    ],
    load: () => import("./add.ts"),
  },
  {
    name: "memory search",
    topic: AGENT,
    summary: "Find notes and files by words and meaning",
    details: "Without an embedding provider in the config (memory.embedding), only words are compared.",
    args: [{ name: "TEXT", phrase: "the question" }],
    options: {
      mode: { value: "MODE", help: "keyword, semantic or hybrid" },
      limit: { value: "N", help: "At most N results; 8 if not given" },
      source: { value: "NAME", help: "Only this note or file, or files in this folder" },
      after: { value: "TIME", help: "Only from this day or time on" },
      before: { value: "TIME", help: "Only before this day or time" },
      explain: { help: "Show every part of a score" },
    },
    examples: ['colloquy memory search "When does the harbour close?" --explain'],
    load: () => import("./search.ts"),
  },
  {
    name: "memory index",
    topic: AGENT,
    summary: "Bring Markdown files and folders up to date",
    details:
      "Without a PATH, the files and folders in memory.paths of the config. Unchanged files are not read again.",
    args: [{ name: "PATH", optional: true, many: true }],
    options: { watch: { help: "Keep them up to date, until Ctrl-C" } },
    examples: ["colloquy memory index ./notes", "colloquy memory index ./notes --watch"],
    load: () => import("./index-files.ts"),
  },
  {
    name: "memory list",
    topic: AGENT,
    summary: "List what is in memory",
    options: {
      source: { value: "NAME", help: "Only this note or file" },
      limit: { value: "N", help: "At most N chunks; 50 if not given" },
      cursor: { value: "C", help: "Continue a list" },
    },
    examples: ["colloquy memory list", "colloquy memory list --source note:port --json"],
    load: () => import("./list.ts"),
  },
  {
    name: "memory forget",
    topic: AGENT,
    summary: "Erase a chunk or a source from memory",
    details:
      "ID is the id of a chunk, or the name of a note or file. Its bytes are overwritten. This cannot be undone.",
    args: [{ name: "ID" }],
    examples: ["colloquy memory forget note:port"],
    load: () => import("./forget.ts"),
  },
];
