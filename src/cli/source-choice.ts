import { usualPlaces } from "../formats/import/usual-places.ts";
import type { Call } from "./command.ts";
import { UsageError } from "./exit.ts";

/** The usual places that a person agrees to. Without a person there must be `--yes`. */
export async function chooseSources(call: Call): Promise<string[]> {
  const { homedir } = process.getBuiltinModule("node:os");
  const places = usualPlaces(homedir(), process.env);
  if (places.length === 0) {
    throw new UsageError("Nothing was found in the usual places: name a file or folder", "PATH");
  }
  if (call.flags.has("yes")) return places.map(({ path }) => path);
  const list = places.map(({ tool, path }) => `${tool}: ${path}`).join("\n  ");
  if (call.json || !process.stdin.isTTY) {
    throw new UsageError(`Found:\n  ${list}\nSay --yes to import all of it, or name a PATH`, "PATH");
  }
  const { createInterface } = await import("node:readline/promises");
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const chosen: string[] = [];
    for (const { tool, path } of places) {
      const answer = (await ask.question(`Import ${tool} (${path})? [Y/n] `)).trim().toLowerCase();
      if (answer === "" || answer.startsWith("y")) chosen.push(path);
    }
    return chosen;
  } finally {
    ask.close();
  }
}
