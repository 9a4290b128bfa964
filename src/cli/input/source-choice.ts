import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { createInterface } from "node:readline/promises";
import type { UsualPlace } from "../../formats/contract/format.ts";
import { usualPlaces } from "../../formats/import/usual-places.ts";
import { safeLine } from "../../util/visible-text.ts";
import type { Call } from "../command.ts";
import { UsageError } from "../exit.ts";

/**
 * The usual places that the user chooses. Without a terminal `--yes` is required, unless nothing is written. With
 * `--watch`, all of them include those of tools that were not used yet.
 */
export async function chooseSources(call: Call): Promise<string[]> {
  const usual = usualPlaces(homedir(), process.env);
  const places = usual.filter(({ path }) => existsSync(path));
  const watches = call.flags.has("watch");
  if (places.length === 0 && !watches) {
    throw new UsageError("Found nothing in the usual places; specify a file or folder", "PATH");
  }
  const all = (watches ? usual : places).map(({ path }) => path);
  const asks = places.length > 0 && !["yes", "dry-run", "verify"].some((flag) => call.flags.has(flag));
  if (!asks) return all;
  if (!call.json) showPlaces(places);
  if (call.json || !process.stdin.isTTY) {
    const found = call.json ? `Found ${places.map(placeText).join(", ")}. ` : "";
    throw new UsageError(`${found}Use --yes to import everything, or specify PATH`, "PATH");
  }
  return ask(places, all);
}

function showPlaces(places: readonly UsualPlace[]): void {
  const lines = places.map((place, index) => `  ${index + 1}  ${placeText(place)}\n`);
  process.stderr.write(`Found in the usual places:\n${lines.join("")}`);
}

function placeText({ tool, path }: UsualPlace): string {
  return `${tool}: ${safeLine(path)}`;
}

async function ask(places: readonly UsualPlace[], all: readonly string[]): Promise<string[]> {
  const shown = places.map(({ path }) => path);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const answer = await prompt.question("Import everything? [Y/n, or numbers such as 1,3] ");
      const chosen = chosenOf(answer, shown, all);
      if (chosen !== undefined) return chosen;
      process.stderr.write(`Answer y, n, or numbers from 1 to ${shown.length}.\n`);
    }
  } catch (error) {
    // Ctrl-C and Ctrl-D mean no.
    if ((error as NodeJS.ErrnoException).code !== "ABORT_ERR") throw error;
    process.stderr.write("\n");
    return [];
  } finally {
    prompt.close();
  }
}

/** `undefined` when the answer is not valid. */
export function chosenOf(
  answer: string,
  shown: readonly string[],
  all: readonly string[] = shown,
): string[] | undefined {
  const word = answer.trim().toLowerCase();
  if (["", "y", "yes", "all"].includes(word)) return [...all];
  if (["n", "no", "q", "quit"].includes(word)) return [];
  const numbers = word.split(/[\s,]+/).map(Number);
  const paths = numbers.map((number) => shown[number - 1]);
  return paths.every((path): path is string => path !== undefined) ? paths : undefined;
}
