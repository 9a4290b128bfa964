import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Route } from "../../src/gateway/routes/route.ts";
import { ROUTES } from "../../src/gateway/routes/table.ts";
import { openPlace, type Place } from "./place.ts";

const LONG = "a".repeat(20_000);
const deep = (levels: number): unknown => (levels === 0 ? null : [deep(levels - 1)]);
/** Of the wrong type, too long, too deep, extreme, or half a character. */
const ODD: readonly unknown[] = [
  ...[null, true, -1, 0, 1e308, -1e308, 2 ** 53, 0.1, "", " ", "\u0000", "../..", "%2e%2e", LONG],
  ...["\ud800", "\udfff\ud800", "null", "NaN", "__proto__", "constructor"],
  ...[
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
  ],
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

describe("every field of every route", () => {
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
