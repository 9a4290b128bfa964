/** Arguments and options that several commands take. */
import type { ArgumentSpec, OptionSpec } from "../command.ts";

export const CONVERSATION: ArgumentSpec = {
  name: "ID|KEY",
  help: "ID|KEY is an id, a session key, the start of either, or, in quotes, a title or a row of the last list ('#3').",
};

export const BRANCH: OptionSpec = { value: "NAME", help: "Use this branch instead of the checked-out one" };
export const DRY_RUN: OptionSpec = { help: "Show what would be removed, without removing it" };
export const AGENT: OptionSpec = { value: "ID", help: "Use the credentials of this agent (default main)" };
