/** The part of the command table about models. */
import { type CommandSpec, STATE } from "../../command.ts";
import { AGENT } from "../shared-options.ts";

export const MODELS_COMMANDS: readonly CommandSpec[] = [
  {
    name: "models list",
    topic: STATE,
    summary: "List the models that can be used",
    details:
      "Those of the providers for which there is a profile, a setting or a variable such as ANTHROPIC_API_KEY. Prices are US dollars for a million tokens, as they were on the day that is shown; models.providers in the config changes and adds.",
    args: [],
    options: {
      provider: { type: "string", value: "P", help: "Only those of this provider" },
      all: { type: "boolean", help: "Every model of the built-in list, set up or not" },
      agent: AGENT,
    },
    examples: ["colloquy models list", "colloquy models list --provider openai --json"],
    load: () => import("./list.ts"),
  },
  {
    name: "models write",
    topic: STATE,
    summary: "Write models.json for programs that read it",
    details: "A file that has this content already is left alone. It holds no secrets.",
    args: [],
    options: { agent: AGENT },
    examples: ["colloquy models write"],
    load: () => import("./write.ts"),
  },
];
