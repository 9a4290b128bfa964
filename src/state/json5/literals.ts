/** Strings, names and numbers of JSON5. */
import { isLineEnd, type Scanner } from "./scanner.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "0": "\0",
};

const PLAIN = {
  '"': /[^"\\\n\r]*/y,
  "'": /[^'\\\n\r]*/y,
} as const;

export function scanString(scanner: Scanner): string {
  const start = scanner.position;
  const quote = scanner.current as '"' | "'";
  const plain = PLAIN[quote];
  let value = "";
  scanner.skip(1);
  for (;;) {
    plain.lastIndex = scanner.offset;
    plain.test(scanner.text);
    value += scanner.text.slice(scanner.offset, plain.lastIndex);
    scanner.offset = plain.lastIndex;
    if (scanner.takeIf(quote)) return value;
    if (scanner.current !== "\\") {
      throw scanner.fail("This string has no closing quote on its line", start);
    }
    value += scanEscape(scanner);
  }
}

function scanEscape(scanner: Scanner): string {
  const start = scanner.position;
  scanner.skip(1);
  if (scanner.atEnd) throw scanner.fail("Unexpected end of input in an escape", start);
  const character = scanner.current;
  scanner.skip(1);
  if (character === "x") return scanHex(scanner, 2);
  if (character === "u") return scanHex(scanner, 4);
  if (character === "\r") {
    scanner.takeIf("\n");
    return "";
  }
  if (isLineEnd(character)) return "";
  const digitFollows = /\d/.test(scanner.current);
  if (/[1-9]/.test(character) || (character === "0" && digitFollows)) {
    throw scanner.fail("Octal escapes are not allowed: write \\x or \\u", start);
  }
  return ESCAPES[character] ?? character;
}

function scanHex(scanner: Scanner, digits: number): string {
  const hex = scanner.text.slice(scanner.offset, scanner.offset + digits);
  if (hex.length !== digits || !/^[0-9a-f]+$/i.test(hex)) {
    throw scanner.fail(`Expected ${digits} hexadecimal digits in the escape`);
  }
  scanner.skip(digits);
  return String.fromCharCode(Number.parseInt(hex, 16));
}

const NAME_START = /[$_\p{L}\p{Nl}]/u;
const NAME_PART = /(?:\u200c|\u200d|[$_\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}])/u;

const PLAIN_NAME = /(?:[A-Za-z_$][\w$]*)?/y;

/** An unquoted key. */
export function scanName(scanner: Scanner): string {
  // Nearly all names are plain. The loop handles the others.
  PLAIN_NAME.lastIndex = scanner.offset;
  let name = PLAIN_NAME.exec(scanner.text)?.[0] ?? "";
  scanner.skip(name.length);
  for (;;) {
    const point = scanner.text.codePointAt(scanner.offset);
    const start = scanner.position;
    let character = point === undefined ? "" : String.fromCodePoint(point);
    if (character === "\\" && scanner.text[scanner.offset + 1] === "u") {
      scanner.skip(2);
      character = scanHex(scanner, 4);
      if (!isNamePart(character, name)) throw scanner.fail("This escape is not allowed in a key", start);
    } else if (isNamePart(character, name)) scanner.skip(character.length);
    else break;
    name += character;
  }
  if (name === "") throw scanner.fail("Expected a key: a name or a quoted string");
  return name;
}

function isNamePart(character: string, before: string): boolean {
  return character !== "" && (before === "" ? NAME_START : NAME_PART).test(character);
}

/** Whether a key needs no quotes. */
export function isName(key: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(key);
}

const NUMBER = /[+-]?(?:0[xX][0-9a-fA-F]+|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w$.])/y;

export function scanNumber(scanner: Scanner): number {
  NUMBER.lastIndex = scanner.offset;
  const text = NUMBER.exec(scanner.text)?.[0];
  if (text === undefined) throw scanner.fail(describe(scanner));
  const value = numberOf(text);
  if (!Number.isFinite(value)) throw scanner.fail("This number is too large");
  scanner.skip(text.length);
  return value;
}

function numberOf(text: string): number {
  const sign = text[0] === "-" ? -1 : 1;
  return sign * Number(text.replace(/^[+-]/, ""));
}

function describe(scanner: Scanner): string {
  const unbounded = /^[+-]?(?:Infinity|NaN)\b/.test(scanner.text.slice(scanner.offset, scanner.offset + 10));
  return unbounded ? "Infinity and NaN are not allowed" : "This is not a valid number";
}
