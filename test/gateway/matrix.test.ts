import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PERMISSIONS } from "../../src/gateway/auth/principal.ts";
import type { GatewayContext } from "../../src/gateway/context.ts";
import { AllowedHosts } from "../../src/gateway/http/allowed-hosts.ts";
import { httpApp } from "../../src/gateway/http/app.ts";
import { Page } from "../../src/gateway/http/page.ts";
import type { Route } from "../../src/gateway/routes/route.ts";
import { ROUTES } from "../../src/gateway/routes/table.ts";
import { openPlace } from "./place.ts";

const NOBODY = "00000000-0000-4000-8000-000000000000";
const WHO = [null, ...PERMISSIONS, "scoped"] as const;

/** With parts that exist nowhere, so that what is allowed does nothing. */
function lineOf({ method, path }: Route): string {
  return `${method} ${path.replaceAll(/\{\w+\}/g, NOBODY)}`;
}

const REFUSED = /Sign in first|This needs the permission|token is limited/;

/** `undefined`: the request gets past the checks of permissions. */
function refusal(route: Route, who: (typeof WHO)[number]): number | undefined {
  if (route.permission === "public") return undefined;
  if (who === null) return 401;
  if (who === "scoped") {
    return route.scoped === undefined ? 403 : route.scoped === "conversation" ? 404 : undefined;
  }
  return PERMISSIONS.indexOf(who) < PERMISSIONS.indexOf(route.permission) ? 403 : undefined;
}

describe("the table of routes", () => {
  it("decides for every route and every kind of user", async () => {
    await using place = await openPlace({ scoped: { channels: ["web"] } });
    const wrong: string[] = [];
    for (const route of ROUTES) {
      for (const who of WHO) {
        const body = route.body === undefined ? {} : { body: { unknown: true } };
        const { status, text } = await place.call(lineOf(route), { as: who, ...body });
        const expected = refusal(route, who);
        const isRight = expected === undefined ? !REFUSED.test(text) && status < 500 : status === expected;
        if (!isRight) wrong.push(`${lineOf(route)} as ${who}: ${status}, expected ${expected ?? "to pass"}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("is all that the gateway answers", () => {
    const app = httpApp(ROUTES, {} as GatewayContext, new AllowedHosts([], 1, false), new Page(undefined));
    const served = app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path}`);
    const described = ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`);
    expect(served).toEqual(described);
    const folder = join(import.meta.dirname, "../../src/gateway");
    const users = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && /from "hono"/.test(readFileSync(join(folder, name), "utf8")),
    );
    expect(users).toEqual([join("http", "app.ts")]);
  });

  it("has each route once, and describes it", () => {
    const names = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { path, scoped, summary, method, permission } of ROUTES) {
      expect(summary.length).toBeGreaterThan(8);
      if (path.startsWith("/api/v1/conversations/{id}"))
        expect([path, scoped]).toEqual([path, "conversation"]);
      if (path.startsWith("/api/") && method !== "GET")
        expect([path, permission]).not.toEqual([path, "read"]);
    }
  });
});

describe("/openapi.json", () => {
  it("describes every route with its parameters and its permission", async () => {
    await using place = await openPlace();
    const { paths, openapi } = (await place.call("GET /openapi.json", { as: null })).json<{
      openapi: string;
      paths: Record<string, Record<string, { "x-permission"?: string; parameters?: { name: string }[] }>>;
    }>();
    expect(openapi).toBe("3.1.0");
    for (const route of ROUTES) {
      const operation = paths[route.path]?.[route.method.toLowerCase()];
      expect(operation?.["x-permission"] ?? "public").toBe(route.permission);
      for (const name of Object.keys(route.query?.properties ?? {})) {
        expect(operation?.parameters?.map((parameter) => parameter.name)).toContain(name);
      }
    }
  });
});
