/** Finds where a JSON value ends, or where it is damaged. It loops instead of recursing, so no depth is too much. */

export interface Scanned {
  /** The end of the value, or the position of the damage. */
  readonly end: number;
  readonly error: string | undefined;
}

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The beginning of an escape at the end of a text. */
const CUT_ESCAPE = /^\\(?:u[0-9a-fA-F]*)?$/;
const LONGEST_ESCAPE = 6;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export const TOO_DEEP = "nested too deeply";

/** The expected token; `first` may also be the end of an empty array or object. */
type Expected = "value" | "first-value" | "key" | "first-key" | "colon" | "comma";

export function scanValue(text: string, from: number, depthMax: number): Scanned {
  const open: string[] = [];
  let expected: Expected = "value";
  for (let at = from; ; ) {
    while (isSpace(text.charCodeAt(at))) at++;
    const sign = text[at];
    if (sign === undefined) return damaged(at, "cut off");
    if (closes(sign, open.at(-1), expected)) {
      open.pop();
      at++;
      expected = "comma";
    } else if (expected === "colon" || expected === "comma") {
      if (sign !== (expected === "colon" ? ":" : ",")) return damaged(at);
      at++;
      expected = expected === "colon" || open.at(-1) === "[" ? "value" : "key";
    } else if (expected === "key" || expected === "first-key") {
      const end = sign === '"' ? stringEnd(text, at) : { end: at, error: DAMAGED };
      if (end.error !== undefined) return end;
      at = end.end;
      expected = "colon";
    } else if (sign === "{" || sign === "[") {
      if (open.push(sign) > depthMax) return damaged(at, TOO_DEEP);
      at++;
      expected = sign === "{" ? "first-key" : "first-value";
    } else {
      const end = sign === '"' ? stringEnd(text, at) : scalarEnd(text, at);
      if (end.error !== undefined) return end;
      at = end.end;
      expected = "comma";
    }
    if (open.length === 0 && expected === "comma") return { end: at, error: undefined };
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

const DAMAGED = "not valid JSON";

function damaged(end: number, error: string = DAMAGED): Scanned {
  return { end, error };
}

function behind(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function closes(sign: string, opened: string | undefined, expected: Expected): boolean {
  if (sign === "}") return opened === "{" && (expected === "comma" || expected === "first-key");
  return sign === "]" && opened === "[" && (expected === "comma" || expected === "first-value");
}

function scalarEnd(text: string, at: number): Scanned {
  const end = behind(SCALAR, text, at);
  return end === undefined ? damaged(at) : { end, error: undefined };
}

/** A regular expression would need stack for every escape of a long string. */
function stringEnd(text: string, from: number): Scanned {
  for (let at = from + 1; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return { end: at + 1, error: undefined };
    if (code < 0x20) return damaged(at);
    if (code !== BACKSLASH) at++;
    else {
      const next = behind(ESCAPE, text, at);
      if (next === undefined) return escapeDamage(text, at);
      at = next;
    }
  }
  return damaged(text.length, "cut off");
}

/** A record that was cut within an escape is damaged where the next record begins. */
function escapeDamage(text: string, at: number): Scanned {
  if (text.length - at < LONGEST_ESCAPE && CUT_ESCAPE.test(text.slice(at))) return damaged(at, "cut off");
  const next = text.slice(at, at + LONGEST_ESCAPE).indexOf("{");
  return damaged(next === -1 ? at : at + next);
}
