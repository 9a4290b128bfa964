/** What can be typed after a slash. */

export interface Command {
  readonly name: string;
  /** After the name, such as `<title>`. */
  readonly argument?: string;
  readonly help: string;
  run(argument: string): unknown;
}

/** The commands that what was typed could still become. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  if (!/^\/\S*$/.test(text)) return [];
  const begun = text.slice(1).toLowerCase();
  return commands.filter(({ name }) => name.startsWith(begun));
}

/** `undefined` if the text is not a command, and is sent as it is. */
export function commandIn(
  commands: readonly Command[],
  text: string,
): { readonly command: Command; readonly argument: string } | undefined {
  const [, name, argument = ""] = /^\/(\w+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const command = commands.find((known) => known.name === name?.toLowerCase());
  return command && { command, argument: argument.trim() };
}
