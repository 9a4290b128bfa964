/** The OpenAPI 3.1 document, from the table of routes. */
import type { JsonObject } from "../../util/json.ts";
import type { Route } from "../routes/route.ts";

const ERROR: JsonObject = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { type: "string" },
        message: { type: "string" },
        field: { type: ["string", "null"] },
      },
      required: ["code", "message", "field"],
    },
  },
  required: ["error"],
};

export function openApi(routes: readonly Route[], version: string): JsonObject {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  return {
    openapi: "3.1.0",
    info: { title: "Colloquy gateway", version },
    components: {
      schemas: { Error: ERROR },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
    paths: Object.fromEntries(
      [...byPath].map(([path, group]) => [
        path,
        Object.fromEntries(group.map((route) => [route.method.toLowerCase(), operationOf(route)])),
      ]),
    ),
  };
}

function operationOf(route: Route): JsonObject {
  const { permission, summary, body, bytes, status = 200 } = route;
  const parameters = parametersOf(route);
  const content = bytes === true ? { "application/octet-stream": {} } : body && json(body);
  return {
    summary,
    ...(permission === "public" ? {} : { security: [{ token: [] }], "x-permission": permission }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(content === undefined ? {} : { requestBody: { required: true, content } }),
    responses: {
      [String(status)]: { description: summary, content: answerOf(route) },
      default: { description: "What went wrong", content: json({ $ref: "#/components/schemas/Error" }) },
    },
  };
}

function parametersOf({ path, query, headers = {} }: Route): JsonObject[] {
  const required = query?.required ?? [];
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    })),
    ...Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
      name,
      in: "query",
      required: required.includes(name),
      schema,
    })),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: "header",
      description,
      schema: { type: "string" },
    })),
  ];
}

function answerOf({ answer }: Route): JsonObject {
  return typeof answer === "string" ? { [answer]: {} } : json(answer);
}

function json(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}
