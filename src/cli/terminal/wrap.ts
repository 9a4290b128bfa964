/** Help texts, broken between words where a terminal would break inside of one. */

const HANGING = "      ";
const GOING_ON = "    ";
const TEXT_COLUMNS_MIN = 24;

/** A text on lines of at most so many columns. A word that is longer stays whole. */
export function wrap(text: string, columns: number): string[] {
  return joined(text.split(" "), columns);
}

/** A command on lines that a shell takes as one. */
export function wrapCommand(command: string, columns: number): string[] {
  // What stands in quotes is one word.
  const words = command.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  const lines = joined(words, columns - GOING_ON.length - " \\".length);
  if (`  ${command}`.length <= columns) return [`  ${command}`];
  return lines.map((line, index) => {
    const end = index === lines.length - 1 ? "" : " \\";
    return `${index === 0 ? "  " : GOING_ON}${line}${end}`;
  });
}

/** Names, with what they mean beside them; below them where the terminal is too narrow for that. */
export function wrapPairs(
  pairs: readonly (readonly [string, string])[],
  columns: number,
  width: number = widest(pairs),
): string[] {
  const beside = columns - width - 4;
  return pairs.flatMap(([name, meaning]) => {
    if (beside < TEXT_COLUMNS_MIN) {
      return [
        ...wrap(name, columns - GOING_ON.length).map((line, index) => (index === 0 ? "  " : GOING_ON) + line),
        ...wrap(meaning, columns - HANGING.length).map((line) => HANGING + line),
      ];
    }
    return wrap(meaning, beside).map(
      (line, index) => `  ${(index === 0 ? name : "").padEnd(width)}  ${line}`,
    );
  });
}

export function widest(pairs: readonly (readonly [string, string])[]): number {
  return Math.max(...pairs.map(([name]) => name.length));
}

function joined(words: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
