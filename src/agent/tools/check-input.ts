/**
 * Checks what a model passes to a tool against the tool's JSON Schema.
 *
 * The keywords that models are shown and obey are checked; others, such as `format` and `$ref`, are ignored. So is
 * `pattern`: schemas also come from servers, and a regular expression of a stranger can stop the process.
 */
import { invalid } from "../../errors.ts";
import { assertJson, isJsonObject, type Json, type JsonObject } from "../../util/json.ts";
import { listIn, numberIn, objectIn, objectsIn, textIn } from "../../util/values.ts";

/** Throws a `VALIDATION_ERROR` that names the wrong property, in words that a model can act on. */
export function checkInput(schema: JsonObject, input: unknown): asserts input is JsonObject {
  assertJson(input, "input");
  if (!isJsonObject(input)) throw invalid("input must be an object", "input");
  const problem = problemOf(input, schema, "");
  if (problem !== undefined) throw invalid(`${problem.path} ${problem.what}`, problem.path);
}

interface Problem {
  readonly path: string;
  readonly what: string;
}

type Rule = (value: Json, schema: JsonObject, path: string) => Problem | undefined;

/** The first problem. A schema is a finite tree, so this ends: each step goes into a part of it. */
function problemOf(value: Json, schema: JsonObject, path: string): Problem | undefined {
  for (const rule of RULES) {
    const problem = rule(value, schema, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const wrong = (path: string, what: string): Problem => ({ path: path === "" ? "input" : path, what });

const RULES: readonly Rule[] = [
  checkType,
  checkChoice,
  checkNumber,
  checkString,
  checkItems,
  checkProperties,
];

function checkType(value: Json, { type }: JsonObject, path: string): Problem | undefined {
  const types = (typeof type === "string" ? [type] : listIn(type)).filter((name) => typeof name === "string");
  if (types.length === 0 || types.some((name) => isOfType(value, name))) return undefined;
  return wrong(path, `must be ${types.map((name) => TYPE_WORDS[name] ?? name).join(" or ")}`);
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function isOfType(value: Json, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  // A type that is not known forbids nothing.
  return typeof value === type || TYPE_WORDS[type] === undefined;
}

function checkChoice(value: Json, schema: JsonObject, path: string): Problem | undefined {
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  if (Array.isArray(choices) && !choices.some((choice) => isSame(choice, value))) {
    return wrong(path, `must be ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`);
  }
  for (const part of objectsIn(schema.allOf)) {
    const problem = problemOf(value, part, path);
    if (problem !== undefined) return problem;
  }
  const kinds = objectsIn(schema.anyOf ?? schema.oneOf);
  if (kinds.length === 0) return undefined;
  const problems = kinds.map((kind) => problemOf(value, kind, path));
  if (problems.includes(undefined)) return undefined;
  // The kind that fits best fails furthest inside.
  return problems.reduce((best, next) => ((next?.path.length ?? 0) > (best?.path.length ?? 0) ? next : best));
}

function isSame(one: Json, other: Json): boolean {
  return one === other || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));
}

function checkNumber(value: Json, schema: JsonObject, path: string): Problem | undefined {
  if (typeof value !== "number") return undefined;
  const min = numberIn(schema.minimum);
  const max = numberIn(schema.maximum);
  const above = numberIn(schema.exclusiveMinimum);
  const below = numberIn(schema.exclusiveMaximum);
  if (min !== undefined && value < min) return wrong(path, `must be at least ${min}`);
  if (max !== undefined && value > max) return wrong(path, `must be at most ${max}`);
  if (above !== undefined && value <= above) return wrong(path, `must be more than ${above}`);
  if (below !== undefined && value >= below) return wrong(path, `must be less than ${below}`);
  return undefined;
}

function checkString(value: Json, schema: JsonObject, path: string): Problem | undefined {
  if (typeof value !== "string") return undefined;
  const min = numberIn(schema.minLength) ?? 0;
  const max = numberIn(schema.maxLength) ?? Number.POSITIVE_INFINITY;
  // Code points are at most as many as UTF-16 units, so most strings need no counting.
  if (min <= 0 && value.length <= max) return undefined;
  return checkSize(codePoints(value), min, max, "characters", path);
}

function checkSize(size: number, min: number, max: number, unit: string, path: string): Problem | undefined {
  if (size < min) return wrong(path, `must have at least ${min} ${unit}`);
  return size > max ? wrong(path, `must have at most ${max} ${unit}`) : undefined;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function checkItems(value: Json, schema: JsonObject, path: string): Problem | undefined {
  if (!Array.isArray(value)) return undefined;
  const min = numberIn(schema.minItems) ?? 0;
  const max = numberIn(schema.maxItems) ?? Number.POSITIVE_INFINITY;
  const size = checkSize(value.length, min, max, "items", path);
  const items = objectIn(schema.items);
  if (size !== undefined || items === undefined) return size;
  for (const [index, item] of value.entries()) {
    const problem = problemOf(item, items, `${path}[${index}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkProperties(value: Json, schema: JsonObject, path: string): Problem | undefined {
  if (!isJsonObject(value)) return undefined;
  const missing = listIn(schema.required).find((name) => !Object.hasOwn(value, textIn(name) ?? ""));
  if (typeof missing === "string") return wrong(below(path, missing), "is missing");
  const known = objectIn(schema.properties) ?? {};
  for (const [name, item = null] of Object.entries(value)) {
    const isKnown = Object.hasOwn(known, name);
    const rule = isKnown ? known[name] : schema.additionalProperties;
    if (rule === false) return wrong(below(path, name), unknownText(Object.keys(known)));
    const problem = isJsonObject(rule) ? problemOf(item, rule, below(path, name)) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const below = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

function unknownText(names: readonly string[]): string {
  return names.length === 0 ? "is not known: there are no properties" : `is not one of ${names.join(", ")}`;
}
