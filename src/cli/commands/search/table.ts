/** The part of the command table about search. */
import { type CommandSpec, READ } from "../../command.ts";

export const SEARCH_COMMANDS: readonly CommandSpec[] = [
  {
    name: "search",
    topic: READ,
    summary: "Search the messages and titles of all conversations",
    details:
      "The best hits come first, by conversation. Messages with any of the words are found, in other forms of a word and despite typing mistakes.",
    args: [
      {
        name: "TEXT",
        optional: true,
        many: true,
        phrase: "query",
        help: 'TEXT is words, "phrases", beginnings (light*), -exclusions, OR, and filters: role:user channel:discord key:cli: model:opus tool:Bash after:2026-01 before:2026-02-15 branch:active in:title is:code. Put it in single quotes if it has quotes, * or -.',
      },
    ],
    options: {
      limit: { value: "N", help: "Show at most N hits (default 10, maximum 100)" },
      cursor: { value: "C", help: "Continue after the previous page" },
      newest: { help: "Newest of the best hits first" },
      context: { short: "C", value: "N", help: "Show N messages before and after each hit" },
      open: { help: "Show the best hit in its conversation" },
      role: { value: "ROLE", help: "Only messages of the user, assistant or system" },
      channel: { value: "NAME", help: "Only this channel, such as discord" },
      key: { value: "START", help: "Only session keys that start with START" },
      model: { value: "NAME", help: "Only messages of models whose name contains NAME" },
      tool: { value: "NAME", help: "Only messages that call this tool" },
      branch: { value: "NAME", help: "Only this branch; active is the checked-out one" },
      after: { value: "TIME", help: "Only at TIME or later: a year, month, day or time" },
      before: { value: "TIME", help: "Only before TIME" },
      in: { value: "PART", help: "Only in: title, text, tool, thinking or output" },
      mode: {
        value: "MODE",
        help: "keyword (default), semantic, or hybrid, which the config must allow (search.semantic)",
      },
      rebuild: { help: "Build the search index again, also without TEXT" },
    },
    examples: [
      "colloquy search lighthouse keeper",
      "colloquy search '\"the old keeper\" -storm' --role user -C 2",
      "colloquy search fitToContextWindow --after 2026-01 --open",
      "colloquy search --rebuild",
    ],
    load: () => import("./search.ts"),
  },
];
