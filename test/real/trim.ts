/**
 * Makes a fixture of files that a tool wrote. Its own long texts (instructions, descriptions of tools) are cut, because
 * they are not ours; everything else stays as it was written. Usage: node test/real/trim.ts FROM TO
 */
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type Json, type JsonObject } from "../../src/util/json.ts";
import { numberIn, objectIn, textIn } from "../../src/util/values.ts";

const TEXT_CHARS_MAX = 300;
const TEXT_CHARS_KEPT = 40;
const NAMES_MAX = 4;

/** Descriptions of tools, and instructions in many parts. */
const OWN: ReadonlySet<string> = new Set(["tools", "toolSchemas", "systemPrompt", "input_schema"]);

const [from = "", to = ""] = process.argv.slice(2);
cpSync(from, to, { recursive: true });
const files = readdirSync(to, { recursive: true, encoding: "utf8" })
  .map((name) => join(to, name))
  .filter((path) => path.endsWith(".jsonl") && statSync(path).isFile());

interface Line {
  /** Where it ended in the original. */
  readonly end: number;
  readonly value: JsonObject;
}

const read = files.map((path) => ({ path, rollout: rolloutOf(path), lines: linesOf(path) }));
/** Where the lines of each rollout end now, by where they ended. Offsets are numbers in the lines, so this settles. */
let ends = new Map<string, ReadonlyMap<number, number>>();
for (let pass = 0; pass < 4; pass++) {
  ends = new Map(read.map(({ rollout, lines }) => [rollout, endsOf(lines)]));
}
for (const { path, lines } of read) writeFileSync(path, lines.map(textOf).join(""));

function rolloutOf(path: string): string {
  return /([\w-]{36})\.jsonl$/.exec(path)?.[1] ?? path;
}

function linesOf(path: string): Line[] {
  let end = 0;
  return readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((text) => {
      end += Buffer.byteLength(text) + 1;
      return { end, value: shortened(JSON.parse(text)) as JsonObject };
    });
}

function endsOf(lines: readonly Line[]): Map<number, number> {
  let now = 0;
  return new Map(
    lines.map((line) => {
      now += Buffer.byteLength(textOf(line));
      return [line.end, now];
    }),
  );
}

function textOf({ value }: Line): string {
  return `${JSON.stringify(rebased(value))}\n`;
}

/** A rollout of Codex says how many bytes of another one belong to it. */
function rebased(line: JsonObject): JsonObject {
  const payload = objectIn(line.payload);
  const base = objectIn(payload?.history_base);
  const moved = ends.get(textIn(base?.thread_id) ?? "")?.get(numberIn(base?.end_byte_offset) ?? -1);
  if (payload === undefined || base === undefined || moved === undefined) return line;
  return { ...line, payload: { ...payload, history_base: { ...base, end_byte_offset: moved } } };
}

function shortened(value: Json): Json {
  if (typeof value === "string") {
    return value.length > TEXT_CHARS_MAX ? `${value.slice(0, TEXT_CHARS_KEPT)}…` : value;
  }
  if (Array.isArray(value)) {
    const isNames = value.length > NAMES_MAX && value.every((item) => typeof item === "string");
    return (isNames ? value.slice(0, NAMES_MAX) : value).map((item) => shortened(item));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner = null]) => [
      name,
      OWN.has(name) ? emptied(inner) : shortened(inner),
    ]),
  );
}

function emptied(value: Json): Json {
  return Array.isArray(value) ? [] : isJsonObject(value) ? {} : value;
}
