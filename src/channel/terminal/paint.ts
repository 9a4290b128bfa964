/** Styles of text on a terminal. */

export type Style = "bold" | "dim" | "italic" | "underline" | "cyan" | "green" | "yellow" | "red";

/** Text in styles, or as it is where there are no colours. */
export type Paint = (styles: readonly Style[], text: string) => string;

const CODES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  cyan: [36, 39],
  green: [32, 39],
  yellow: [33, 39],
  red: [31, 39],
};

export const colours: Paint = (styles, text) => {
  if (styles.length === 0 || text === "") return text;
  const on = styles.map((style) => `\u001b[${CODES[style][0]}m`).join("");
  const off = styles.map((style) => `\u001b[${CODES[style][1]}m`).join("");
  return `${on}${text}${off}`;
};

export const noColours: Paint = (_, text) => text;
