/** The HTTP interface, from the table of routes. */
import { Hono } from "hono";
import { ColloquyError } from "../../errors.ts";
import type { GatewayContext } from "../context.ts";
import type { Route } from "../routes/route.ts";
import { httpError } from "./http-error.ts";

export function httpApp(routes: readonly Route[], gateway: GatewayContext): Hono {
  const app = new Hono();
  for (const route of routes) {
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ":$1"), async ({ req }) => {
      const answer = await route.handle(
        {
          ...{
            params: req.param(),
            query: {},
            body: {},
            principal: undefined as never,
            bytes: undefined as never,
          },
          header: (name) => req.header(name),
          signal: req.raw.signal,
        },
        gateway,
      );
      return Response.json(answer.json, { status: answer.status ?? route.status ?? 200 });
    });
  }
  app.notFound(() => errorResponse(new ColloquyError("NOT_FOUND", "There is no such address")));
  app.onError(errorResponse);
  return app;
}

function errorResponse(error: unknown): Response {
  const { status, body } = httpError(error);
  return Response.json(body, { status });
}
