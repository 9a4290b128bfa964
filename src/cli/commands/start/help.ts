import type { Call } from "../../command.ts";
import { COMMANDS } from "../../command-table.ts";
import { groupOf, printHelp } from "../../help.ts";
import { parse } from "../../parse.ts";

export function run({ args, json, out }: Call): number {
  if (args.length === 0) return printHelp(COMMANDS, json, out);
  const group = args.length === 1 ? groupOf(args[0] ?? "") : [];
  if (group.length > 0) return printHelp(group, json, out);
  // Parsed like a command line, so that an unknown command gets the same error.
  const { command } = parse({ positionals: args, options: [], json, help: true, color: undefined });
  return printHelp([command], json, out);
}
