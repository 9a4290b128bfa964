import type { CommandSpec, OptionSpec } from "./command.ts";
import { COMMANDS, GLOBAL_OPTIONS } from "./command-table.ts";
import { EXIT_DONE } from "./exit.ts";
import type { Output } from "./output.ts";
import { parse, type Words } from "./parse.ts";

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
  const width = Math.max(...named.map((command) => usageOf(command).length));
  return [
    "Colloquy keeps every word of every conversation an AI agent has.",
    "",
    "Usage: colloquy [COMMAND] [OPTIONS]",
    ...groups.flatMap((group) => [
      "",
      out.style("bold", group),
      ...named
        .filter((command) => command.group === group)
        .map((command) => `  ${usageOf(command).padEnd(width)}  ${command.summary}`),
    ]),
    "",
    "All take --json, --store, --state-dir and --help. More: colloquy help COMMAND",
  ];
}

function commandHelp(command: CommandSpec, out: Output): string[] {
  const heading = (text: string): string => out.style("bold", text);
  const own = Object.entries(command.options);
  return [
    command.summary,
    "",
    heading("Usage"),
    `  ${`colloquy ${usageOf(command)}`.trimEnd()} [OPTIONS]`,
    ...(own.length === 0 ? [] : ["", heading("Options"), ...optionLines(own)]),
    "",
    heading("Options of every command"),
    ...optionLines(Object.entries(GLOBAL_OPTIONS)),
    "",
    heading(command.examples.length === 1 ? "Example" : "Examples"),
    ...command.examples.map((example) => `  ${example}`),
  ];
}

function usageOf({ name, args }: CommandSpec): string {
  return [name, ...args.map((arg) => (arg.optional ? `[${arg.name}]` : arg.name))].join(" ");
}

function optionLines(options: readonly (readonly [string, OptionSpec])[]): string[] {
  const named = options.map(([name, { short, value, help }]) => {
    const long = value === undefined ? `--${name}` : `--${name} ${value}`;
    return { left: short === undefined ? long : `-${short}, ${long}`, help };
  });
  const width = Math.max(...named.map(({ left }) => left.length));
  return named.map(({ left, help }) => `  ${left.padEnd(width)}  ${help}`);
}

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
