import { defineRoute, type Route } from "./route.ts";
import { listOf, NAME } from "./schemas.ts";

const PATH = "/api/v1/imports";

export const IMPORT_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: `${PATH}/found`,
    permission: "admin",
    summary: "Tools whose conversations are on this machine, with counts",
    answer: listOf({ type: "object" }),
    handle: async ({ signal }, { imports }) => ({
      json: { items: await imports.found(signal), cursor: null },
    }),
  }),
  defineRoute({
    method: "GET",
    path: PATH,
    permission: "admin",
    summary: "Imports since the gateway started, newest first",
    answer: listOf({ type: "object" }),
    handle: (_, { imports }) => ({ json: { items: imports.list(), cursor: null } }),
  }),
  defineRoute({
    method: "POST",
    path: PATH,
    permission: "admin",
    summary: "Import what was found, in the background",
    body: { type: "object", properties: { formats: { type: "array", items: NAME, maxItems: 100 } } },
    status: 202,
    answer: { type: "object" },
    handle: async ({ body }, { imports }) => ({ json: await imports.start(body.formats) }),
  }),
  defineRoute({
    method: "GET",
    path: `${PATH}/{id}`,
    permission: "admin",
    summary: "One import and its progress",
    answer: { type: "object" },
    handle: ({ params: { id = "" } }, { imports }) => ({ json: imports.read(id) }),
  }),
  defineRoute({
    method: "DELETE",
    path: `${PATH}/{id}`,
    permission: "admin",
    summary: "Stop an import; what was imported stays",
    answer: { type: "object" },
    handle: async ({ params: { id = "" } }, { imports }) => ({ json: await imports.cancel(id) }),
  }),
];
