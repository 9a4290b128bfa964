import { parseArgs } from "node:util";
import { defined } from "../util/json.ts";
import type { Call, CommandSpec, OptionSpec } from "./command.ts";
import { COMMANDS, GLOBAL_OPTIONS } from "./command-table.ts";
import { UsageError } from "./exit.ts";
import { PROGRAM } from "./invocation.ts";
import { dashedValue, extraArgument, unknownCommand, unknownOption } from "./unknown.ts";

/** The command line, split but not yet checked. */
export interface Words {
  readonly positionals: readonly string[];
  readonly options: readonly GivenOption[];
  readonly json: boolean;
  readonly help: boolean;
  readonly color: string | undefined;
}

interface GivenOption {
  readonly name: string;
  /** As typed: `--store`, `-h`. */
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inline: boolean;
}

export type Request = Pick<Call, "command" | "args" | "values" | "lists" | "flags">;

const ALL_OPTIONS: Readonly<Record<string, OptionSpec>> = Object.assign(
  {},
  GLOBAL_OPTIONS,
  ...COMMANDS.map(({ options }) => options),
);

/** Split a command line. Never fails: `--json` must be known before an error can be reported. */
export function split(argv: readonly string[]): Words {
  // An option may be a flag of one command and have a value with another.
  const command = commandNamed(tokensOf(argv, ALL_OPTIONS).positionals);
  const { positionals, given } = tokensOf(argv, { ...ALL_OPTIONS, ...command?.options });
  return {
    positionals,
    options: given,
    // In "--limit --json" the value of --limit is missing, and the error must still be JSON.
    json: given.some(({ name, value, inline }) => name === "json" || (!inline && value === "--json")),
    help: given.some(({ name }) => name === "help"),
    // Without a value, `parse` explains it.
    color: given.find(({ name, value }) => name === "color" && !value?.startsWith("-"))?.value,
  };
}

function tokensOf(
  argv: readonly string[],
  specs: Readonly<Record<string, OptionSpec>>,
): { positionals: string[]; given: GivenOption[] } {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { value, short }]) => {
      const type = value === undefined ? ("boolean" as const) : ("string" as const);
      return [name, { type, ...defined({ short }) }];
    }),
  );
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = tokens.flatMap((token) =>
    token.kind === "option"
      ? [{ name: token.name, rawName: token.rawName, value: token.value, inline: token.inlineValue === true }]
      : [],
  );
  return {
    positionals: tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : [])),
    given,
  };
}

/** Find the command and check its options and arguments. */
export function parse(words: Words): Request {
  const { command, args } = findCommand(words.positionals);
  const values = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const flags = new Set<string>();
  for (const option of words.options) {
    const { value, multiple } = specOf(command, option);
    if (value === undefined) flags.add(checkFlag(option));
    else if (multiple) lists.set(option.name, [...(lists.get(option.name) ?? []), checkValue(option)]);
    else if (values.has(option.name))
      throw new UsageError(`${option.rawName} was given more than once`, option.name);
    else values.set(option.name, checkValue(option));
  }
  checkTogether(command, words.options);
  if (!words.help) checkArguments(command, args);
  return { command, args, values, lists, flags };
}

function findCommand(positionals: readonly string[]): Pick<Call, "command" | "args"> {
  const command = commandNamed(positionals);
  if (command === undefined) throw unknownCommand(positionals[0] ?? "", positionals[1]);
  return { command, args: positionals.slice(command.name.split(" ").length) };
}

function commandNamed([first = "", second]: readonly string[]): CommandSpec | undefined {
  const named = (name: string): CommandSpec | undefined => COMMANDS.find((command) => command.name === name);
  return (second === undefined ? undefined : named(`${first} ${second}`)) ?? named(first);
}

function specOf(command: CommandSpec, { name, rawName }: GivenOption): OptionSpec {
  const own = { ...GLOBAL_OPTIONS, ...command.options };
  if (Object.hasOwn(own, name)) return own[name] as OptionSpec;
  throw unknownOption(command, rawName, Object.keys(own));
}

function checkTogether({ options = {} }: CommandSpec, given: readonly GivenOption[]): void {
  for (const { name } of given) {
    const other = options[name]?.without?.find((option) => given.some((one) => one.name === option));
    if (other !== undefined) throw new UsageError(`--${other} and --${name} cannot be given together`, other);
  }
}

function checkFlag({ name, rawName, value }: GivenOption): string {
  if (value !== undefined) throw new UsageError(`${rawName} does not take a value`, name);
  return name;
}

function checkValue({ name, rawName, value, inline }: GivenOption): string {
  if (value === undefined) throw new UsageError(`${rawName} requires a value`, name);
  if (!inline && value.length > 1 && value.startsWith("-")) throw dashedValue(name, rawName, value);
  return value;
}

function checkArguments(command: CommandSpec, args: readonly string[]): void {
  const { args: wanted = [] } = command;
  // "help sessions list": the name of a command is one or two words.
  const atMost = command.name === "help" ? 2 : wanted.length;
  const missing = wanted.find((arg, index) => !arg.optional && args[index] === undefined);
  if (missing !== undefined) {
    throw new UsageError(
      `"${command.name}" requires ${missing.name}. See ${PROGRAM} ${command.name} --help`,
      missing.name,
    );
  }
  const extra = wanted.at(-1)?.many === true ? undefined : args[atMost];
  if (extra !== undefined) throw extraArgument(command, extra);
}
