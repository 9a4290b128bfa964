/** Splits a command line into words, with the quotes of a shell and none of its other syntax. */

import { invalid } from "../../../errors.ts";
import { refuseSecret } from "../../../secrets/misplaced-secret.ts";
import { checkString } from "../../../util/checked-arguments.ts";

const WORDS_MAX = 64;

/**
 * Split at spaces; `'…'`, `"…"` and `\` quote.
 *
 * Refuses syntax that only a shell understands instead of passing it on as a
 * word: a pipe that is not run would yield the wrong secret.
 */
export function splitCommand(line: string): string[] {
  checkString(line, "line");
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
        `The command runs without a shell, so ${char} has no meaning: quote it, or put the command into a script`,
        "from-command",
      );
    } else if (char === "\\" && at + 1 < line.length) word = (word ?? "") + (line[++at] as string);
    else word = (word ?? "") + char;
  }
  if (quote !== "") throw invalid(`The command has an unclosed ${quote}`, "from-command");
  if (word !== undefined) words.push(word);
  return checkCommand(words);
}

/** The first word is searched in PATH or is an absolute path: a relative one would depend on the working directory. */
export function checkCommand(words: readonly string[]): string[] {
  const [program] = words;
  if (program === undefined || program === "") throw invalid("The command is empty", "from-command");
  refuseSecret(program, "the command", "from-command");
  if (words.length > WORDS_MAX) throw invalid(`The command has more than ${WORDS_MAX} words`, "from-command");
  if (words.some((word) => word.includes("\0")))
    throw invalid("The command has a NUL character", "from-command");
  if (/[/\\]/.test(program) && !/^(\/|[A-Za-z]:[/\\])/.test(program)) {
    throw invalid("The command must start with a program in PATH or an absolute path", "from-command");
  }
  return [...words];
}
