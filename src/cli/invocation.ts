/** How a person calls the command. A checkout has no `colloquy` to type. */
export const PROGRAM: string = import.meta.url.endsWith(".ts") ? "npm run -s colloquy --" : "colloquy";

const PLACES = ["store", "state-dir", "profile"];

/** A command to type next, on the store that was named in this one. */
export function nextCommand(words: string, values: ReadonlyMap<string, string>): string {
  const places = PLACES.flatMap((name) => {
    const value = values.get(name);
    return value === undefined ? [] : [`--${name} ${quoted(value)}`];
  });
  return [PROGRAM, words, ...places].join(" ");
}

/** A word as a shell takes it. */
export function quoted(text: string): string {
  return /^[\w.:/@%+=~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
