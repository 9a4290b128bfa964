import type { GatewayContext } from "../context.ts";
import { openApi } from "../http/openapi.ts";
import { defineRoute, type Route } from "./route.ts";

/** Public: it says what can be asked, not what is there. */
export function openApiRoute(others: readonly Route[]): Route {
  const route: Route = defineRoute({
    method: "GET",
    path: "/openapi.json",
    permission: "public",
    summary: "This interface as an OpenAPI 3.1 document",
    answer: { type: "object" },
    handle: (_, { version }: GatewayContext) => ({ json: openApi([...others, route], version) }),
  });
  return route;
}
