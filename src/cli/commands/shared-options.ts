/** Arguments and options that several commands take. */
import type { ArgumentSpec, OptionSpec } from "../command.ts";

export const CONVERSATION: ArgumentSpec = { name: "ID|KEY" };

export const BRANCH: OptionSpec = {
  type: "string",
  value: "NAME",
  help: "This branch, not the checked-out one",
};
export const DRY_RUN: OptionSpec = { type: "boolean", help: "Only say what would be removed" };
export const AGENT: OptionSpec = { type: "string", value: "ID", help: "Of this agent (default main)" };
