/** `colloquy/gateway`: the server for browsers and programs. */

export { type AgentPlace, Agents } from "../channel/setup/agents.ts";
export type { Installation } from "../channel/setup/installation.ts";
export { Auth, type AuthOptions } from "./auth/auth.ts";
export type { Client } from "./auth/client.ts";
export type { Login } from "./auth/login/login.ts";
export type { Session } from "./auth/login/session.ts";
export type { Principal, ScopedConversation } from "./auth/principal.ts";
export type { GatewayContext } from "./context.ts";
export { type Gateway, type GatewayOptions, openGateway } from "./gateway.ts";
export type { Incoming } from "./http/incoming.ts";
export type { HttpMethod, Route, RouteAnswer, RoutePermission, RouteRequest } from "./routes/route.ts";
export type { Method, MethodCall } from "./socket/method.ts";
