import { defineRoute, type Route } from "./route.ts";

export const HEALTH_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/health",
    permission: "public",
    summary: "Whether the gateway answers",
    answer: {
      type: "object",
      properties: { ok: { const: true } },
      required: ["ok"],
    },
    handle: () => ({ json: { ok: true } }),
  }),
];
