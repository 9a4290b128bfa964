/**
 * What a route is. The checks, the OpenAPI document, the test of permissions and the docs all come from these
 * descriptions, so a request cannot reach code that is not described.
 */
import type { Readable } from "node:stream";
import type { InputOf, ObjectSchema } from "../../agent/index.ts";
import type { JsonObject } from "../../util/json.ts";
import type { Principal } from "../auth/principal.ts";
import type { GatewayContext } from "../context.ts";
import type { Permission } from "../wire/auth.ts";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `public` is for everybody who passes the checks of `Host` and `Origin`. */
export type RoutePermission = Permission | "public";

/** What has been checked before a route sees it. */
export interface RouteRequest<Query, Body> {
  /** The parts of the path in braces. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** With `bytes`: the body as it arrives. */
  readonly bytes: Readable;
  /** Of a public route: only if there is one. */
  readonly principal: Principal;
  /** The value of a header; an empty one is `""`. */
  header(name: string): string | undefined;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

export interface RouteAnswer {
  /** Default: that of the route. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly json?: unknown;
  /** Instead of `json`. */
  readonly stream?: AsyncIterable<Uint8Array | string>;
}

export interface Route {
  readonly method: HttpMethod;
  /** As in OpenAPI: `/api/v1/conversations/{id}`. */
  readonly path: string;
  readonly permission: RoutePermission;
  /** One line, for the docs. */
  readonly summary: string;
  /** JSON Schema. Properties that it does not name are refused. */
  readonly query?: ObjectSchema;
  readonly body?: ObjectSchema;
  /** The body is bytes, at most so many. */
  readonly bytes?: { readonly max: number };
  /** Default: 200. */
  readonly status?: number;
  /** JSON Schema of the answer, or the media type of a stream. */
  readonly answer: JsonObject | string;
  handle(
    request: RouteRequest<JsonObject, JsonObject>,
    gateway: GatewayContext,
  ): RouteAnswer | Promise<RouteAnswer>;
}

/** A route whose query and body have the types that their schemas describe. */
export interface RouteDefinition<Q extends ObjectSchema, B extends ObjectSchema>
  extends Omit<Route, "query" | "body" | "handle"> {
  readonly query?: Q;
  readonly body?: B;
  handle(
    request: RouteRequest<InputOf<Q>, InputOf<B>>,
    gateway: GatewayContext,
  ): RouteAnswer | Promise<RouteAnswer>;
}

export function defineRoute<const Q extends ObjectSchema, const B extends ObjectSchema>(
  definition: RouteDefinition<Q, B>,
): Route;
export function defineRoute(definition: RouteDefinition<ObjectSchema, ObjectSchema>): Route {
  return definition;
}
