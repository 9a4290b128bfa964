/**
 * Removes secrets from text that others will read.
 *
 * Tokens leak into transcripts: users paste them, tools print them, agents read
 * files that contain them. No detection finds every secret, so the caller can
 * also name values; those are always removed, and so are those that the process
 * uses itself.
 */
import { checkString, checkStrings } from "../util/checked-arguments.ts";
import type { Json } from "../util/json.ts";
import { knownForms } from "./known-secrets.ts";
import { SECRET_WORDS } from "./secret-names.ts";
import { SECRET_PATTERNS, type SecretPattern } from "./secret-patterns.ts";

export interface Redacted {
  readonly text: string;
  /** How many secrets were removed. */
  readonly count: number;
}

/** Replace values that look like secrets, and the known ones, with `[redacted: kind]`. */
export function redactSecrets(text: string, known: readonly string[] = []): Redacted {
  checkString(text, "text");
  checkStrings(known, "known");
  const redaction = new Redaction(text);
  for (const value of knownForms(known)) redaction.value(value, "known value");
  redaction.blocks();
  for (const pattern of SECRET_PATTERNS) redaction.pattern(pattern);
  redaction.assignments();
  return { text: redaction.text, count: redaction.count };
}

/** Nothing shorter can be told from a word. */
const CHARS_MIN = 12;

/** Redact every string of a JSON value. */
export function redactJson(value: Json, known: readonly string[]): Json {
  if (typeof value === "string") return value.length < CHARS_MIN ? value : redactSecrets(value, known).text;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => redactJson(item, known));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, redactJson(inner as Json, known)]),
  );
}

/** Whether a property with this name holds a secret: `{ "password": "…" }`. */
export function isSecretProperty(name: string, value: string): boolean {
  return SECRET_NAME.test(name) && !/\s/.test(value) && isRandom(value);
}

class Redaction {
  text: string;
  count = 0;

  constructor(text: string) {
    this.text = text;
  }

  value(value: string, kind: string): void {
    if (!this.text.includes(value)) return;
    const parts = this.text.split(value);
    this.count += parts.length - 1;
    this.text = parts.join(mark(kind));
  }

  pattern({ kind, hints, pattern }: SecretPattern): void {
    if (!hints.some((hint) => this.text.includes(hint))) return;
    this.text = this.text.replace(pattern, (whole: string, ...rest: unknown[]) => {
      const groups = rest.at(-1);
      const secret = isGroups(groups) ? groups.secret : undefined;
      if (secret?.startsWith("[redacted")) return whole;
      this.count++;
      return secret === undefined ? mark(kind) : whole.replace(secret, () => mark(kind));
    });
  }

  /** Private keys. Not a pattern, which would search for the end again from every beginning. */
  blocks(): void {
    const { text } = this;
    const begins = [...text.matchAll(KEY_BEGIN)];
    if (begins.length === 0) return;
    let result = "";
    let from = 0;
    let end = 0;
    for (const [place, { index, 0: begin }] of begins.entries()) {
      const body = index + begin.length;
      if (end !== -1 && end < body) end = text.indexOf("-----END", body);
      const before = Math.min(begins[place + 1]?.index ?? text.length, body + KEY_CHARS_MAX);
      const whole = end !== -1 && end < before ? endOf(KEY_END, text, end) : end;
      result += text.slice(from, index) + mark("private key");
      from = whole > end ? whole : endOf(CUT_OFF, text, body);
      this.count++;
    }
    this.text = result + text.slice(from);
  }

  assignments(): void {
    if (!SECRET_NAME.test(this.text)) return;
    for (const pattern of [ASSIGNMENT, OPTION]) {
      this.text = this.text.replace(pattern, (whole: string, before: string, value: string) => {
        if (!isRandom(value)) return whole;
        this.count++;
        return `${before}${mark("secret")}`;
      });
    }
  }
}

function mark(kind: string): string {
  return `[redacted: ${kind.replaceAll("-", " ")}]`;
}

function isGroups(value: unknown): value is Readonly<Record<string, string | undefined>> {
  return typeof value === "object" && value !== null;
}

const KEY_CHARS_MAX = 65_536;
const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
/** The rest of a key whose end is missing. Its line breaks may be written as `\n`. */
const CUT_OFF = /(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})*/y;

/** Where a sticky pattern ends that begins at `at`. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

const SECRET_NAME = new RegExp(SECRET_WORDS, "i");
const VALUE = "([^\\s\"'`,;<>(){}\\[\\]\\\\]{8,})";
const QUOTE = "\\\\?[\"'`]?";
/** `password=…`, `"token": "…"`. A name may continue: `TOKEN_PROD`. */
const ASSIGNMENT = new RegExp(
  `(${SECRET_WORDS}[\\w-]{0,24}${QUOTE}\\s{0,3}(?:=>|:=|==?|:)\\s{0,3}${QUOTE})${VALUE}`,
  "gi",
);
/** `--api-key …` */
const OPTION = new RegExp(`(--[a-z-]{0,24}?${SECRET_WORDS}[\\w-]{0,24}\\s{1,3}${QUOTE})${VALUE}`, "gi");

const DISTINCT_MIN = 6;
const ENTROPY_BITS_MIN = 2.75;
const SAMPLE_CHARS = 256;

/** Whether a value is random enough to be a secret. Words, names and paths are not. */
function isRandom(value: string): boolean {
  if (value.length < 8 || IS_REFERENCE.test(value)) return false;
  const sample = value.slice(0, SAMPLE_CHARS);
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(sample)).length;
  if (kinds < 2 || !/[0-9]|[^A-Za-z0-9_.-]|[a-z][A-Z]{2}|[A-Z][a-z][A-Z]/.test(sample)) return false;
  const counts = new Map<string, number>();
  for (const character of sample) counts.set(character, (counts.get(character) ?? 0) + 1);
  return counts.size >= DISTINCT_MIN && entropyOf(counts, sample.length) >= ENTROPY_BITS_MIN;
}

/** Variables, calls and paths that refer to a secret without being one. */
const IS_REFERENCE =
  /^(?:\$[{(]|\$[A-Z_]+$|%[A-Z_]+%|\{\{|process\.env|os\.environ|env\.|https?:|\/|\.\/|~\/|[A-Za-z_$][A-Za-z_$]*(?:\.[A-Za-z_$]+)+$)/;

function entropyOf(counts: ReadonlyMap<string, number>, length: number): number {
  let bits = 0;
  for (const count of counts.values()) bits -= (count / length) * Math.log2(count / length);
  return bits;
}
