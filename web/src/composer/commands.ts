/** What can be typed after a slash. */

export interface Command {
  readonly name: string;
  /** After the name, such as `<title>`. */
  readonly argument?: string;
  readonly help: string;
  /** Rejects with the reason: the command then stays in the field. */
  run(argument: string): unknown;
}

/** The commands that what was typed could still become. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  if (!/^\/\S*$/.test(text)) return [];
  const begun = text.slice(1).toLowerCase();
  return commands.filter(({ name }) => name.startsWith(begun));
}

/** As it is in the field when it is chosen: ready for its argument. */
export function typed({ name, argument }: Command): string {
  return argument === undefined ? `/${name}` : `/${name} `;
}

export interface Asked {
  readonly name: string;
  readonly argument: string;
}

/** `undefined` for a message: a path such as `/etc/hosts` is one, and whatever begins with a space. */
export function askedIn(text: string): Asked | undefined {
  const [, name, argument = ""] = /^\/([a-z-]+)(?:\s+([\s\S]*))?$/i.exec(text.trimEnd()) ?? [];
  return name === undefined ? undefined : { name, argument: argument.trim() };
}

export async function runCommand(commands: readonly Command[], { name, argument }: Asked): Promise<void> {
  const command = commands.find((known) => known.name === name.toLowerCase());
  if (!command)
    throw new Error(
      `Not sent: there is no command /${name}. /help lists them; a space before it makes it a message.`,
    );
  await command.run(argument);
}
