import type { CommandSpec, OptionSpec, Result, Topic } from "./command.ts";
import { COMMANDS, GLOBAL_OPTIONS } from "./command-table.ts";
import { PROGRAM } from "./invocation.ts";
import type { Output } from "./output.ts";
import { parse, type Words } from "./parse.ts";
import { widest, wrap, wrapCommand, wrapPairs } from "./terminal/wrap.ts";

/** For a file or a pipe, which have no width. */
const COLUMNS_DEFAULT = 80;

/** `--help` after a command, after a group of commands, or alone. */
export function helpFor(given: Words, out: Output): Result {
  // "sessions help": the word in the place of a command.
  const isAsked = given.positionals[1] === "help" && given.positionals[0] !== "help";
  const positionals = isAsked ? given.positionals.toSpliced(1, 1) : given.positionals;
  const words = { ...given, positionals, help: true };
  const [first, second] = positionals;
  const group = first !== undefined && second === undefined ? groupOf(first) : [];
  const commands = group.length > 0 ? group : [parse(words).command];
  return helpOn(commands[0]?.name === "" ? COMMANDS : commands, out);
}

/** The commands that start with a word, such as `sessions`. */
export function groupOf(word: string): readonly CommandSpec[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
}

export function helpOn(commands: readonly CommandSpec[], out: Output): Result {
  const [only] = commands;
  const isOne = only !== undefined && commands.length === 1;
  const many = (): string[] => (commands === COMMANDS ? overview(out) : groupHelp(commands, out));
  return { json: { commands: commands.map(toJson) }, lines: isOne ? commandHelp(only, out) : many() };
}

/** All commands on one screen: those of one topic share a line. */
function overview(out: Output): string[] {
  const columns = columnsOf(out);
  const topics = [...Map.groupBy(named(COMMANDS), ({ topic }) => topic)].filter(
    ([{ group }]) => group !== "Help",
  );
  const pairs = topics.map(([topic, commands]) => ({
    topic,
    pair: [together(commands), topic.summary] as const,
  }));
  return [
    ...wrap("Colloquy keeps every word of every conversation an AI agent has.", columns),
    "",
    ...titled("Usage:", [`${PROGRAM} [COMMAND] [OPTIONS]`], columns),
    "",
    ...grouped(pairs, out),
    "",
    ...wrap("All commands accept --json, --store, --state-dir, --set, --color and --help.", columns),
    ...titled("More:", [`${PROGRAM} sessions --help`, `config --help`, `${PROGRAM} help COMMAND`], columns),
  ];
}

/** "search, sessions list, show, history": a first word appears once. */
function together(commands: readonly CommandSpec[]): string {
  const names = commands.map(({ name }) => name);
  if (commands[0]?.topic.families === true) {
    return [...new Set(names.map((name) => name.split(" ")[0]))].join(", ");
  }
  const words = names.map((name) => name.split(" "));
  return words
    .map(([first = "", second], index) =>
      second !== undefined && first === words[index - 1]?.[0] ? second : names[index],
    )
    .join(", ");
}

/** One line per command of a group. */
function groupHelp(commands: readonly CommandSpec[], out: Output): string[] {
  const pairs = commands.map((command) => ({
    topic: command.topic,
    pair: [usageOf(command), command.summary] as const,
  }));
  return [...grouped(pairs, out), "", ...titled("More:", [`${PROGRAM} help COMMAND`], columnsOf(out))];
}

/** Commands after a title, or below it when they do not fit. */
function titled(title: string, commands: readonly string[], columns: number): string[] {
  const line = `${title} ${commands.join(" · ").replaceAll(` · ${PROGRAM} `, " · ")}`;
  if (line.length <= columns) return [line];
  return [title, ...commands.flatMap((command) => wrapCommand(command, columns))];
}

interface TopicPair {
  readonly topic: Topic;
  readonly pair: readonly [string, string];
}

function grouped(pairs: readonly TopicPair[], out: Output): string[] {
  const width = widest(pairs.map(({ pair }) => pair));
  const groups = Map.groupBy(pairs, ({ topic }) => topic.group);
  return [...groups].flatMap(([group, own]) => [
    out.style("bold", group),
    ...wrapPairs(
      own.map(({ pair }) => pair),
      columnsOf(out),
      width,
    ),
  ]);
}

function named(commands: readonly CommandSpec[]): CommandSpec[] {
  return commands.filter(({ name }) => name !== "");
}

function commandHelp(command: CommandSpec, out: Output): string[] {
  const heading = (text: string): string => out.style("bold", text);
  const columns = columnsOf(out);
  const own = Object.entries(command.options ?? {});
  return [
    ...wrap(command.summary, columns),
    ...(command.details === undefined ? [] : ["", ...wrap(command.details, columns)]),
    ...(command.args ?? []).flatMap(({ help }) => (help === undefined ? [] : ["", ...wrap(help, columns)])),
    "",
    heading("Usage"),
    ...wrapCommand(`${`${PROGRAM} ${wholeUsage(command)}`.trimEnd()} [OPTIONS]`, columns),
    ...(own.length === 0 ? [] : ["", heading("Options"), ...optionLines(own, columns)]),
    "",
    heading("Global options"),
    ...optionLines(Object.entries(GLOBAL_OPTIONS), columns),
    "",
    heading(command.examples.length === 1 ? "Example" : "Examples"),
    ...command.examples.flatMap((example) => wrapCommand(example.replace(/^colloquy/, PROGRAM), columns)),
  ];
}

function wholeUsage(command: CommandSpec): string {
  const { required } = command;
  return required === undefined ? usageOf(command) : `${usageOf(command)} ${required}`;
}

function usageOf({ name, args = [] }: CommandSpec): string {
  const words = args.map(({ name: word, many, optional }) => {
    const shown = many === true ? `${word}…` : word;
    return optional === true ? `[${shown}]` : shown;
  });
  return [name, ...words].join(" ");
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
  return { name, summary, usage: `colloquy ${wholeUsage(command)}`.trimEnd(), options, examples };
}
