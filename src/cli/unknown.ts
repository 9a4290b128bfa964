/** Errors for unknown or misplaced words, with suggestions. */
import { looksLikeSecret } from "../secrets/misplaced-secret.ts";
import { closestWord } from "../util/closest-word.ts";
import type { CommandSpec } from "./command.ts";
import { COMMANDS } from "./command-table.ts";
import { UsageError } from "./exit.ts";
import { PROGRAM } from "./invocation.ts";

/** Words of the command line are often cut short. */
const TYPED = { prefixes: true };

export function unknownCommand(first: string, second: string | undefined): UsageError {
  const names = COMMANDS.map(({ name }) => name);
  const inGroup = names
    .filter((name) => name.startsWith(`${first} `))
    .map((name) => name.split(" ")[1] ?? "");
  if (inGroup.length === 0) {
    const hint = meantCommand(first, second, names);
    return new UsageError(
      `Unknown command "${shown(first)}"${didYouMean(hint)} See ${PROGRAM} --help`,
      "command",
    );
  }
  if (second === undefined) {
    return new UsageError(`"${first}" requires a command: ${inGroup.join(", ")}`, "command");
  }
  const member = closestWord(second, inGroup, TYPED);
  // "sessions backup": a command outside the group.
  const hint = names.includes(second) ? second : member && `${first} ${member}`;
  return new UsageError(
    `Unknown command "${first} ${shown(second)}"${didYouMean(hint)} See ${PROGRAM} ${first} --help`,
    "command",
  );
}

export function unknownOption(command: CommandSpec, rawName: string, known: readonly string[]): UsageError {
  const name = rawName.replace(/^-+/, "");
  const hint = rawName.startsWith("--") ? closestWord(name, known, TYPED) : undefined;
  const place = command.name === "" ? "" : ` for "${command.name}"`;
  const help = `See ${`${PROGRAM} ${command.name}`.trimEnd()} --help`;
  const last = command.args?.at(-1);
  // A word after a dash that belongs to the words around it.
  const isWord = last?.many === true && last.phrase !== undefined && !rawName.startsWith("--");
  const quotes = isWord ? ` Put the ${last.phrase} in quotes.` : "";
  const unknown = rawName.slice(0, rawName.length - name.length) + shown(name);
  return new UsageError(
    `Unknown option ${unknown}${place}${didYouMean(hint && `--${hint}`)}${quotes} ${help}`,
    shown(name),
  );
}

export function extraArgument(command: CommandSpec, extra: string): UsageError {
  const phrase = command.args?.at(-1)?.phrase;
  const { textOption } = command;
  const option = textOption === undefined ? "" : `. Pass the text with --${textOption}, in quotes`;
  const quotes = phrase === undefined ? option : `. Put the ${phrase} in quotes`;
  return new UsageError(`Unexpected argument "${shown(extra)}" for "${command.name}"${quotes}`, "arguments");
}

/** Most likely the value is missing and this is the next option. */
export function dashedValue(name: string, rawName: string, value: string): UsageError {
  const dashes = /^-+/.exec(value)?.[0] ?? "";
  const example = `${rawName}=${dashes}${shown(value.slice(dashes.length))}`;
  return new UsageError(
    `${rawName} requires a value; to pass one that starts with -, write ${example}`,
    name,
  );
}

/** Others may read the error in a log, so a secret typed in the wrong place is not repeated. */
function shown(word: string): string {
  return looksLikeSecret(word) ? "…" : word;
}

function meantCommand(
  first: string,
  second: string | undefined,
  names: readonly string[],
): string | undefined {
  if (first === "version") return "--version";
  const typed = second === undefined ? first : `${first} ${second}`;
  const firsts = names.map((name) => name.split(" ")[0] ?? "");
  // "list": the group is missing.
  const member = names.find((name) => name.endsWith(` ${first}`));
  if (member !== undefined) return member;
  const whole = second === undefined ? undefined : closestWord(typed, names, TYPED);
  return whole ?? closestWord(first, [...firsts, ...names], TYPED);
}

function didYouMean(hint: string | undefined): string {
  return hint === undefined ? "." : `; did you mean "${hint}"?`;
}
