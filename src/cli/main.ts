/** The command `colloquy`: parse, call, show. The layers below do the work. */

import { asColloquyError } from "../errors.ts";
import type { Call, Result } from "./command.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, UsageError } from "./exit.ts";
import { showHelp } from "./help.ts";
import { report, standardOutput } from "./output.ts";
import { parse, split, type Words } from "./parse.ts";
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
  if (words.help) return showHelp(words, standardOutput());
  const request = parse(words);
  const { run } = await request.command.load();
  const call = { ...request, json: words.json, out: standardOutput() };
  const result = await run(call);
  return typeof result === "number" ? result : show(call, result);
}

async function show(
  { json: isJson, out }: Call,
  { json, lines = [], isLong, notes = [], exit }: Result,
): Promise<number> {
  if (isJson) out.json(json);
  else {
    if (isLong) await out.page(lines);
    else if (lines.length > 0) out.lines(lines);
    for (const note of notes) out.note(note);
  }
  return exit ?? EXIT_DONE;
}

/** A reader that stops early (`| head`) is not a failure; a full disk is. */
function endOutput(error: NodeJS.ErrnoException, json: boolean): never {
  if (error.code === "EPIPE") process.exit(EXIT_DONE);
  report("error", asColloquyError(error, "Cannot write the output"), json);
  process.exit(EXIT_FAILED);
}
