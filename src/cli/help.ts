import type { CommandSpec, OptionSpec } from "./command.ts";
import { COMMANDS, GLOBAL_OPTIONS } from "./command-table.ts";
import { EXIT_DONE } from "./exit.ts";
import { PROGRAM } from "./invocation.ts";
import type { Output } from "./output.ts";
import { parse, type Words } from "./parse.ts";
import { wrap, wrapCommand, wrapPairs } from "./wrap.ts";

/** Where nobody says how wide the place is. */
const COLUMNS_DEFAULT = 80;

/** `--help` behind any command, a group of commands, or nothing. */
export async function showHelp(words: Words, out: Output): Promise<number> {
  const [first, second] = words.positionals;
  const group = first !== undefined && second === undefined ? groupOf(first) : [];
  const commands = group.length > 0 ? group : [(await parse(words)).command];
  return printHelp(commands[0]?.name === "" ? COMMANDS : commands, words.json, out);
}

/** The commands that start with a word: `sessions`. */
export function groupOf(word: string): readonly CommandSpec[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
}

export function printHelp(commands: readonly CommandSpec[], json: boolean, out: Output): number {
  const [only] = commands;
  if (json) out.json({ commands: commands.map(toJson) });
  else if (only !== undefined && commands.length === 1) out.lines(commandHelp(only, out));
  else out.lines(overview(commands, out));
  return EXIT_DONE;
}

function overview(commands: readonly CommandSpec[], out: Output): string[] {
  const named = commands.filter(({ name }) => name !== "");
  const groups = [...new Set(named.map(({ group }) => group))];
  const columns = columnsOf(out);
  const width = Math.max(...named.map((command) => usageOf(command).length));
  const pair = (command: CommandSpec) => [usageOf(command).padEnd(width), command.summary] as const;
  return [
    ...wrap("Colloquy keeps every word of every conversation an AI agent has.", columns),
    "",
    `Usage: ${PROGRAM} [COMMAND] [OPTIONS]`,
    ...groups.flatMap((group) => [
      "",
      out.style("bold", group),
      ...wrapPairs(named.filter((command) => command.group === group).map(pair), columns),
    ]),
    "",
    ...wrap("All take --json, --store, --state-dir and --help.", columns),
    `More: ${PROGRAM} help COMMAND`,
  ];
}

function commandHelp(command: CommandSpec, out: Output): string[] {
  const heading = (text: string): string => out.style("bold", text);
  const columns = columnsOf(out);
  const own = Object.entries(command.options);
  return [
    ...wrap(command.summary, columns),
    "",
    heading("Usage"),
    ...wrapCommand(`${`${PROGRAM} ${usageOf(command)}`.trimEnd()} [OPTIONS]`, columns),
    ...(own.length === 0 ? [] : ["", heading("Options"), ...optionLines(own, columns)]),
    "",
    heading("Options of every command"),
    ...optionLines(Object.entries(GLOBAL_OPTIONS), columns),
    "",
    heading(command.examples.length === 1 ? "Example" : "Examples"),
    ...command.examples.flatMap((example) => wrapCommand(example.replace(/^colloquy/, PROGRAM), columns)),
  ];
}

function usageOf({ name, args }: CommandSpec): string {
  return [name, ...args.map((arg) => (arg.optional ? `[${arg.name}]` : arg.name))].join(" ");
}

function optionLines(options: readonly (readonly [string, OptionSpec])[], columns: number): string[] {
  const named = options.map(([name, { short, value, help }]) => {
    const long = value === undefined ? `--${name}` : `--${name} ${value}`;
    return [short === undefined ? long : `-${short}, ${long}`, help] as const;
  });
  return wrapPairs(named, columns);
}

function columnsOf({ columns }: Output): number {
  return Number.isFinite(columns) ? columns : COLUMNS_DEFAULT;
}

/** For programs, which call the command by its name. */
function toJson(command: CommandSpec): Record<string, unknown> {
  const { name, summary, examples } = command;
  const options = Object.entries({ ...command.options, ...GLOBAL_OPTIONS }).map(
    ([option, { value, help }]) => ({
      name: `--${option}`,
      value: value ?? null,
      help,
    }),
  );
  return { name, summary, usage: `colloquy ${usageOf(command)}`.trimEnd(), options, examples };
}
