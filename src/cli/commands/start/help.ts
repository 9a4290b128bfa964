import type { Call, Result } from "../../command.ts";
import { COMMANDS } from "../../command-table.ts";
import { groupOf, helpOn } from "../../help.ts";
import { parse } from "../../parse.ts";

export function run({ args, json, out }: Call): Result {
  if (args.length === 0) return helpOn(COMMANDS, out);
  const group = args.length === 1 ? groupOf(args[0] ?? "") : [];
  if (group.length > 0) return helpOn(group, out);
  // Parsed like a command line, so that an unknown command gets the same error.
  const { command } = parse({ positionals: args, options: [], json, help: true, color: undefined });
  return helpOn([command], out);
}
