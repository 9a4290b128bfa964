/** What to say about words that nobody knows. Loaded only then. */
import type { CommandSpec } from "./command.ts";
import { COMMANDS } from "./command-table.ts";
import { UsageError } from "./exit.ts";
import { suggestion } from "./suggest.ts";

export function unknownCommand(first: string, second: string | undefined): UsageError {
  const names = COMMANDS.map(({ name }) => name);
  const inGroup = names
    .filter((name) => name.startsWith(`${first} `))
    .map((name) => name.split(" ")[1] ?? "");
  if (inGroup.length === 0) {
    const typed = second === undefined ? first : `${first} ${second}`;
    const known = [...names, ...names.map((name) => name.split(" ")[0] ?? "")];
    const hint = suggestion(typed, names) ?? suggestion(first, known);
    return new UsageError(`Unknown command "${first}"${didYouMean(hint)} See colloquy --help`, "command");
  }
  if (second === undefined) {
    return new UsageError(`"${first}" needs one of: ${inGroup.join(", ")}`, "command");
  }
  const hint = suggestion(second, inGroup);
  return new UsageError(
    `Unknown command "${first} ${second}"${didYouMean(hint && `${first} ${hint}`)} See colloquy ${first} --help`,
    "command",
  );
}

export function unknownOption(command: CommandSpec, rawName: string, known: readonly string[]): UsageError {
  const name = rawName.replace(/^-+/, "");
  const hint = rawName.startsWith("--") ? suggestion(name, known) : undefined;
  const place = command.name === "" ? "" : ` for "${command.name}"`;
  const help = `See ${`colloquy ${command.name}`.trimEnd()} --help`;
  return new UsageError(`Unknown option ${rawName}${place}${didYouMean(hint && `--${hint}`)} ${help}`, name);
}

function didYouMean(hint: string | undefined): string {
  return hint === undefined ? "." : `; did you mean "${hint}"?`;
}
