/** A command line as a list of words, with the quotes of a shell and none of its other meanings. */
import { invalid } from "../../../errors.ts";
import { refuseSecret } from "../../../secrets/misplaced-secret.ts";

const WORDS_MAX = 64;

/**
 * Split at spaces; `'…'`, `"…"` and `\` quote.
 *
 * What only a shell would understand is refused instead of being passed on as
 * a word: a pipe that nobody opens would make a secret of the wrong thing.
 */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string;
    if (quote !== "") {
      if (char === quote) quote = "";
      else if (quote === '"' && char === "\\" && /["\\]/.test(line[at + 1] ?? ""))
        word = (word ?? "") + (line[++at] as string);
      else word = (word ?? "") + char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (/[|&;<>`$()]/.test(char)) {
      throw invalid(
        `No shell runs the command, so ${char} means nothing in it: put it in quotes, or the command into a script`,
        "from-command",
      );
    } else if (char === "\\" && at + 1 < line.length) word = (word ?? "") + (line[++at] as string);
    else word = (word ?? "") + char;
  }
  if (quote !== "") throw invalid(`The command has a ${quote} without an end`, "from-command");
  if (word !== undefined) words.push(word);
  return checkCommand(words);
}

/** The first word is looked for in PATH, or is a whole path: a relative one would mean another file in each folder. */
export function checkCommand(words: readonly string[]): string[] {
  const [program] = words;
  if (program === undefined || program === "") throw invalid("The command is empty", "from-command");
  refuseSecret(program, "the command", "from-command");
  if (words.length > WORDS_MAX) throw invalid(`The command has more than ${WORDS_MAX} words`, "from-command");
  if (words.some((word) => word.includes("\0")))
    throw invalid("The command has a NUL character", "from-command");
  if (/[/\\]/.test(program) && !/^(\/|[A-Za-z]:[/\\])/.test(program)) {
    throw invalid("The command starts with a name that is in PATH, or with a whole path", "from-command");
  }
  return [...words];
}
