/** The part of the command table about the first steps. */
import type { CommandSpec, Topic } from "../../command.ts";

const EXPLAIN: Topic = { group: "Help", summary: "Explain a command" };

export const START_COMMANDS: readonly CommandSpec[] = [
  {
    name: "",
    topic: EXPLAIN,
    summary: "Show where the store is, and the latest conversations",
    options: { version: { help: "Print the version" } },
    examples: ["colloquy"],
    load: () => import("./first-screen.ts"),
  },
  {
    name: "help",
    topic: EXPLAIN,
    summary: "Explain a command",
    args: [{ name: "COMMAND", optional: true }],
    examples: ["colloquy help sessions append"],
    load: () => import("./help.ts"),
  },
];
