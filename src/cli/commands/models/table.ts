/** The part of the command table about models. */
import { type CommandSpec, STATE } from "../../command.ts";
import { AGENT } from "../shared-options.ts";

export const MODELS_COMMANDS: readonly CommandSpec[] = [
  {
    name: "models list",
    topic: STATE,
    summary: "List the available models",
    details:
      "Lists the models of providers that have a profile, a setting or an environment variable such as ANTHROPIC_API_KEY. Prices are in US dollars per million tokens, as of the date shown; models.providers in the config overrides and adds.",
    options: {
      provider: { value: "P", help: "Only models of this provider" },
      all: { help: "All models of the built-in list, set up or not" },
      agent: AGENT,
    },
    examples: ["colloquy models list", "colloquy models list --provider openai --json"],
    load: () => import("./list.ts"),
  },
  {
    name: "models write",
    topic: STATE,
    summary: "Write models.json for other programs",
    details: "An up-to-date file is not rewritten. It contains no secrets.",
    options: { agent: AGENT },
    examples: ["colloquy models write"],
    load: () => import("./write.ts"),
  },
];
