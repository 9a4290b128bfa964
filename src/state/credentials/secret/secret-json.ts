import { ColloquyError } from "../../../errors.ts";

const PLACE = /line (\d+) column (\d+)/;

/**
 * Parse the JSON of a file that holds secrets.
 *
 * The message of the parser quotes the text around the error, so only the
 * position is taken from it.
 */
export function parseSecretJson(text: string): { value: unknown } | { line: number; column: number } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const [, line, column] = PLACE.exec((error as Error).message) ?? endOf(text);
    return { line: Number(line), column: Number(column) };
  }
}

/** Refuse a file that a newer version wrote. */
export function refuseNewer(
  { version }: Readonly<Record<string, unknown>>,
  known: number,
  path: string,
): void {
  if (typeof version !== "number" || version <= known) return;
  const message = `${path} was written by a newer version of Colloquy: update this one`;
  throw new ColloquyError("NOT_SUPPORTED", message);
}

/** Truncated JSON is wrong at its end. */
function endOf(text: string): readonly [string, number, number] {
  const lines = text.split("\n");
  return ["", lines.length, (lines.at(-1)?.length ?? 0) + 1];
}
