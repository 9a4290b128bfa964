import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ObjectSchema } from "../../src/agent/index.ts";
import type { Route } from "../../src/gateway/routes/route.ts";
import { ROUTES } from "../../src/gateway/routes/table.ts";
import type { Json, JsonObject } from "../../src/util/json.ts";
import { openPlace, type Place } from "./place.ts";

const LONG = "a".repeat(20_000);
const deep = (levels: number): unknown => (levels === 0 ? null : [deep(levels - 1)]);
/** Of the wrong type, too long, too deep, extreme, or half a character. */
const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  -1e308,
  2 ** 53,
  0.1,
  "",
  " ",
  "\u0000",
  "../..",
  "%2e%2e",
  LONG,
  "\ud800",
  "\udfff\ud800",
  "null",
  "NaN",
  "__proto__",
  "constructor",
  [],
  [[]],
  {},
  { a: 1 },
  [null],
  [LONG],
  deep(80),
  { type: "object" },
  [{ role: "user" }],
  [{ role: "x", content: 1 }],
];
const NAMES = ["unknown", "__proto__", "constructor", "prototype", "toString", "", "\ud800"];

interface Case {
  readonly route: Route;
  readonly where: "query" | "body" | "path";
  readonly name: string;
  readonly value: unknown;
}

function fieldsOf(route: Route): Pick<Case, "route" | "where" | "name">[] {
  const names = (where: "query" | "body"): string[] =>
    route[where] === undefined ? [] : [...Object.keys(route[where].properties), ...NAMES];
  return [
    ...names("query").map((name) => ({ route, where: "query" as const, name })),
    ...names("body").map((name) => ({ route, where: "body" as const, name })),
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
      route,
      where: "path" as const,
      name,
    })),
  ];
}

/** Waiting for passwords is slow by design, and a stream does not end. */
const FIELDS = ROUTES.filter(({ path }) => path !== "/auth/token").flatMap(fieldsOf);

function requestOf({ route, where, name, value }: Case, id: string): { line: string; body?: string } {
  const text = typeof value === "string" ? value.toWellFormed() : JSON.stringify(value);
  const part = (found: string): string =>
    encodeURIComponent(
      where === "path" && found === name ? text.slice(0, 3000) : found === "id" ? id : "none",
    );
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, found: string) => part(found));
  const query =
    where === "query"
      ? `?${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(text.slice(0, 8000))}`
      : "";
  // Written by hand: `__proto__` in a literal is not a property.
  const body = `{${JSON.stringify(name)}:${JSON.stringify(value)}}`;
  return {
    line: `${route.method} ${path}${query}`,
    ...(route.body === undefined ? {} : { body: where === "body" ? body : "{}" }),
  };
}

async function check(place: Place, given: Case, id: string): Promise<void> {
  const { line, body } = requestOf(given, id);
  const { status, text } = await place.call(line, { as: "admin", ...(body === undefined ? {} : { body }) });
  const what = `${line.slice(0, 200)} ${body?.slice(0, 200) ?? ""}: ${status} ${text.slice(0, 300)}`;
  // 501: what this installation cannot do, such as a search by meaning without a provider.
  expect(status < 500 || status === 501, what).toBe(true);
  if (status >= 400) {
    const { error } = JSON.parse(text) as { error: Record<string, unknown> };
    expect(Object.keys(error), what).toEqual(["code", "message", "field"]);
  }
  if (given.where !== "path" && NAMES.includes(given.name)) expect(status, what).toBe(400);
}

/** The least that a schema allows. */
function least(schema: JsonObject): Json {
  const { type, enum: choices, const: only, anyOf, items, properties, required, minimum, format } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(choices)) return choices[0] as Json;
  if (Array.isArray(anyOf)) return least(anyOf[0] as JsonObject);
  if (format === "date-time") return "2026-01-01T00:00:00Z";
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === "string") return "a";
  if (kind === "integer" || kind === "number") return typeof minimum === "number" ? minimum : 1;
  if (kind === "boolean") return false;
  if (kind === "array") return [least((items ?? {}) as JsonObject)];
  if (kind !== "object" || !Array.isArray(required)) return {};
  const all = properties as Readonly<Record<string, JsonObject>>;
  return Object.fromEntries(required.map((name) => [String(name), least(all[String(name)] ?? {})]));
}

/** Values that a schema forbids: of every other type, and beyond its limits. */
function forbidden(schema: JsonObject): Json[] {
  const { type, enum: choices, anyOf, maxLength, minLength, minimum, maximum, maxItems } = schema;
  const parts = Array.isArray(anyOf) ? (anyOf as JsonObject[]) : [schema];
  const kinds = new Set(parts.flatMap((part) => part.type ?? (Array.isArray(part.enum) ? ["string"] : [])));
  if (type === undefined && choices === undefined && anyOf === undefined) return [];
  const others: [kind: string, value: Json][] = [
    ...([
      ["string", "x"],
      ["boolean", true],
      ["null", null],
      ["array", []],
      ["object", {}],
    ] as [string, Json][]),
    ["integer", kinds.has("number") ? "1.5.2" : 1.5],
  ];
  return [
    ...others.flatMap(([kind, value]) => (kinds.has(kind) && kind !== "integer" ? [] : [value])),
    ...(Array.isArray(choices) ? ["neither of them", ""] : []),
    ...(typeof maxLength === "number" && maxLength < 100_000 ? ["x".repeat(maxLength + 1)] : []),
    ...(typeof minLength === "number" && minLength > 0 ? [""] : []),
    ...(typeof minimum === "number" ? [minimum - 1] : []),
    ...(typeof maximum === "number" ? [maximum + 1] : []),
    ...(typeof maxItems === "number" && maxItems < 2000 ? [Array(maxItems + 1).fill("x")] : []),
  ];
}

/** In an address, everything is text. */
function isText(schema: JsonObject): boolean {
  return schema.type === "string" || Array.isArray(schema.anyOf);
}

describe("every field of every route", () => {
  it("is refused, by its name, with every value that its schema forbids", async () => {
    await using place = await openPlace();
    const { id } = await place.store.create({ key: "web:a" });
    const wrong: string[] = [];
    let count = 0;
    const refused = async (line: string, name: string, body?: Json): Promise<void> => {
      count++;
      const { status, text } = await place.call(line, { ...(body === undefined ? {} : { body }) });
      const { field } = (JSON.parse(text) as { error: { field: string | null } }).error ?? {};
      if (status !== 400 || field?.split(/[.[]/)[0] !== name)
        wrong.push(
          `${line.slice(0, 200)} ${JSON.stringify(body)?.slice(0, 200)}: ${status} ${text.slice(0, 200)}`,
        );
    };
    for (const { method, path, query, body } of ROUTES) {
      const line = `${method} ${path.replaceAll(/\{(\w+)\}/g, (_, part) => (part === "id" ? id : "none"))}`;
      const given = body === undefined ? undefined : (least(body) as JsonObject);
      for (const [name, schema] of Object.entries(query?.properties ?? {})) {
        const texts = forbidden(schema).filter((value) => !isText(schema) || String(value).length > 1000);
        for (const value of texts) {
          const all = new URLSearchParams({
            ...(least(query as ObjectSchema) as object),
            [name]: String(value),
          });
          await refused(`${line}?${all}`, name, given);
        }
      }
      for (const [name, schema] of Object.entries(body?.properties ?? {}))
        for (const value of forbidden(schema)) await refused(line, name, { ...given, [name]: value });
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(400);
  });

  it("takes any value, and answers with the error contract", async () => {
    await using place = await openPlace();
    const { id } = await place.store.create({ key: "web:a" });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FIELDS), fc.constantFrom(...ODD), (field, value) =>
        check(place, { ...field, value }, id),
      ),
      { numRuns: 600 },
    );
    expect((await place.call("GET /health")).status).toBe(200);
  });
});
