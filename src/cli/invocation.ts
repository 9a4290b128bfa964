import { quoted } from "../util/visible-text.ts";

/** How to call the command. A checkout has no `colloquy` on the path. */
export const PROGRAM: string = import.meta.url.endsWith(".ts") ? "npm run -s colloquy --" : "colloquy";

const PLACES = ["store", "state-dir", "profile"];

/** A command to run next, on the same store and state folder. */
export function nextCommand(words: string, values: ReadonlyMap<string, string>): string {
  const places = PLACES.flatMap((name) => {
    const value = values.get(name);
    return value === undefined ? [] : [`--${name} ${quoted(value)}`];
  });
  return [PROGRAM, words, ...places].join(" ");
}
