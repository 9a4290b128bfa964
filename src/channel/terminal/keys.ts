/** The keys in what a terminal sends. */

export type KeyName =
  | "enter"
  | "newline"
  | "tab"
  | "backspace"
  | "delete"
  | "delete-word"
  | "delete-to-start"
  | "delete-to-end"
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "interrupt"
  | "close"
  | "clear";

export type Key =
  | { readonly name: KeyName }
  /** Typed or pasted. */
  | { readonly name: "text"; readonly text: string };

/** Asks the terminal to mark what is pasted, so that a line break in it does not send a message. */
export const PASTE_ON = "\u001b[?2004h";
export const PASTE_OFF = "\u001b[?2004l";

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";

const CONTROL_KEYS: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "newline",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0001": "home",
  "\u0002": "left",
  "\u0003": "interrupt",
  "\u0004": "close",
  "\u0005": "end",
  "\u0006": "right",
  "\u000b": "delete-to-end",
  "\u000c": "clear",
  "\u000e": "down",
  "\u0010": "up",
  "\u0015": "delete-to-start",
  "\u0017": "delete-word",
};

/** What follows the escape character. */
const ESCAPED_KEYS: Readonly<Record<string, KeyName>> = {
  "\r": "newline",
  "\n": "newline",
  "[13;2u": "newline",
  "[13;3u": "newline",
  "[27;2;13~": "newline",
  "\u007f": "delete-word",
  b: "word-left",
  f: "word-right",
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  "[1~": "home",
  "[4~": "end",
  "[3~": "delete",
  "[1;3C": "word-right",
  "[1;3D": "word-left",
  "[1;5C": "word-right",
  "[1;5D": "word-left",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  OH: "home",
  OF: "end",
};

const ESC = "\\u001b";
const SEQUENCE = `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|O[A-Za-z]|[^[O])`;
const TOKEN = new RegExp(`${SEQUENCE}|\\p{Cc}|\\P{Cc}+`, "gu");
const UNFINISHED = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|O)?$`);

/** Turns what arrives into keys. A sequence or a paste may arrive in pieces. */
export class KeyReader {
  #rest = "";

  push(data: string): Key[] {
    const text = this.#rest + data;
    const keys: Key[] = [];
    let from = 0;
    for (;;) {
      const start = text.indexOf(PASTE_START, from);
      const end = start === -1 ? -1 : text.indexOf(PASTE_END, start);
      if (end === -1) {
        const open =
          start === -1 ? text.length - (UNFINISHED.exec(text.slice(from))?.[0].length ?? 0) : start;
        keys.push(...typedKeys(text.slice(from, open)));
        this.#rest = text.slice(open);
        return keys;
      }
      keys.push(...typedKeys(text.slice(from, start)));
      const pasted = text.slice(start + PASTE_START.length, end);
      keys.push({ name: "text", text: pasted.replace(/\r\n?/g, "\n") });
      from = end + PASTE_END.length;
    }
  }
}

function typedKeys(text: string): Key[] {
  return [...text.matchAll(TOKEN)].flatMap(([token]): Key[] => {
    if (token.startsWith("\u001b")) {
      const rest = token.slice(1);
      return Object.hasOwn(ESCAPED_KEYS, rest) ? [{ name: ESCAPED_KEYS[rest] as KeyName }] : [];
    }
    if (Object.hasOwn(CONTROL_KEYS, token)) return [{ name: CONTROL_KEYS[token] as KeyName }];
    return /^\p{Cc}/u.test(token) ? [] : [{ name: "text", text: token }];
  });
}
