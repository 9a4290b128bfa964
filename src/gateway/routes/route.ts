/**
 * What a route is. The checks, the OpenAPI document, the test of permissions and the docs all come from these
 * descriptions, so a request cannot reach code that is not described.
 */
import type { InputOf, ObjectSchema } from "../../agent/index.ts";
import type { JsonObject } from "../../util/json.ts";
import type { Principal } from "../auth/principal.ts";
import type { GatewayContext } from "../context.ts";
import type { Incoming } from "../http/incoming.ts";
import type { Permission } from "../wire/auth.ts";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `public` is for everybody who passes the checks of `Host` and `Origin`. */
export type RoutePermission = Permission | "public";

/** What has been checked before a route sees it. */
export interface RouteRequest<Query, Body> extends Incoming {
  /** The parts of the path in braces. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** With `bytes`: the body as it arrives. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Public routes have none, and ask `auth` if they need one. */
  readonly principal: Principal;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

export interface RouteAnswer {
  /** Default: that of the route. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly json?: unknown;
  /** Instead of `json`: its text. */
  readonly text?: string;
  /** Instead of both. */
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
  /** The headers that it reads, and what they mean. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The largest body, in bytes. Default: 1 MiB. */
  readonly bodyMax?: number;
  /** The body is bytes, not JSON. */
  readonly bytes?: true;
  /**
   * What a token that is limited to some conversations may do here. `conversation`: `{id}` must be one of them, which
   * is checked before. `filters`: the route leaves out all others. Default: nothing.
   */
  readonly scoped?: "conversation" | "filters";
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
