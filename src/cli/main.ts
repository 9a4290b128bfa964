/** The command `colloquy`: parse, call, show. The layers below do the work. */

import { asColloquyError } from "../errors.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, UsageError } from "./exit.ts";
import { groupOf, helpFor } from "./help.ts";
import { report, standardOutput } from "./output.ts";
import { parse, split, type Words } from "./parse.ts";
import { showResult } from "./show-result.ts";
import { chooseColours } from "./terminal/colours.ts";

/** Run one command line. Resolves with the exit code and never rejects. */
export async function main(argv: string[]): Promise<number> {
  const words = split(argv);
  process.stdout.on("error", (error) => endOutput(error, words.json));
  try {
    return await dispatch(words);
  } catch (error) {
    const known = asColloquyError(error, "Unexpected error");
    report("error", known, words.json);
    return known instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
  }
}

async function dispatch(words: Words): Promise<number> {
  if (words.color !== undefined) chooseColours(words.color);
  const to = { json: words.json, out: standardOutput() };
  const [group = "", command] = words.positionals;
  const isHelp = words.help || (command === "help" && groupOf(group).length > 0);
  if (isHelp) return showResult(to, helpFor(words, to.out));
  const request = parse(words);
  const call = { ...request, ...to };
  // Not every command reads the config, but a mistyped setting is an error with all of them.
  if (call.lists.has("set")) (await import("./input/config-options.ts")).configOptions(call);
  const { run } = await request.command.load();
  return showResult(to, await run(call));
}

/** A reader that stops early (`| head`) is not a failure; a full disk is. */
function endOutput(error: NodeJS.ErrnoException, json: boolean): never {
  if (error.code === "EPIPE") process.exit(EXIT_DONE);
  report("error", asColloquyError(error, "Cannot write the output"), json);
  process.exit(EXIT_FAILED);
}
