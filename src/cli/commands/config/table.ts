/** The part of the command table about the config. */
import { type ArgumentSpec, type CommandSpec, STATE } from "../../command.ts";

const PATH: ArgumentSpec = { name: "PATH" };

export const CONFIG_COMMANDS: readonly CommandSpec[] = [
  {
    name: "config get",
    topic: STATE,
    summary: "Show a setting, or the whole config",
    details:
      'PATH looks like gateway.port, list[0] or env.vars["A.B"]. Includes, variables, patches and defaults are applied. Of a secret, only the last four characters are shown.',
    args: [{ ...PATH, optional: true }],
    examples: ["colloquy config get gateway.port", "colloquy config get sessions --json"],
    load: () => import("./get.ts"),
  },
  {
    name: "config set",
    topic: STATE,
    summary: "Change a setting in the file that holds it",
    details:
      "VALUE is JSON5 or plain text; - reads standard input, which keeps a secret out of your shell history. Comments, order, includes and variables are preserved. A value that would make the config invalid is refused. The last five versions are kept as colloquy.json.bak.1 to .5.",
    args: [PATH, { name: "VALUE", phrase: "value" }],
    examples: [
      "colloquy config set gateway.port 18790",
      "colloquy config set models.default anthropic/claude-opus-4-6",
      "colloquy config set 'sessions.retention' '{ max_age_days: 365 }'",
    ],
    load: () => import("./set.ts"),
  },
  {
    name: "config unset",
    topic: STATE,
    summary: "Remove a setting",
    args: [PATH],
    examples: ["colloquy config unset gateway.port"],
    load: () => import("./unset.ts"),
  },
  {
    name: "config validate",
    topic: STATE,
    summary: "Check the config and list every problem",
    examples: ["colloquy config validate"],
    load: () => import("./validate.ts"),
  },
  {
    name: "config explain",
    topic: STATE,
    summary: "Show what a setting means and where its value comes from",
    args: [PATH],
    examples: ["colloquy config explain gateway.port"],
    load: () => import("./explain.ts"),
  },
  {
    name: "config path",
    topic: STATE,
    summary: "Show the path of the config file",
    examples: ["colloquy config path"],
    load: () => import("./path.ts"),
  },
  {
    name: "config schema",
    topic: STATE,
    summary: "Print the JSON Schema of the config, for editors",
    examples: ["colloquy config schema > colloquy.schema.json"],
    load: () => import("./schema.ts"),
  },
];
