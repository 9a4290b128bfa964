/** What a method of the WebSocket protocol is. Like a route: nothing else can be called. */
import type { ObjectSchema } from "../../agent/index.ts";
import type { Principal } from "../auth/principal.ts";
import type { GatewayContext } from "../context.ts";
import type { Permission } from "../wire/auth.ts";
import type { MethodName, Methods } from "../wire/frames.ts";
import type { Subscriber } from "./topic.ts";

/** `auth` comes before everything else, and is not in the table. */
export type TableMethod = Exclude<MethodName, "auth">;

export interface MethodCall<Name extends TableMethod> {
  readonly params: Methods[Name]["params"];
  readonly principal: Principal;
  readonly connection: MethodConnection;
}

/** What a method can see of the connection that calls it. */
export interface MethodConnection extends Subscriber {
  /** Topics that it listens to. */
  readonly topics: Set<string>;
  /** It can close while a method waits for the store. */
  readonly isOpen: boolean;
}

export interface Method<Name extends TableMethod = TableMethod> {
  readonly name: Name;
  readonly permission: Permission;
  /** One line, for the docs. */
  readonly summary: string;
  /** JSON Schema. Properties that it does not name are refused. */
  readonly params: ObjectSchema;
  /** Calls a minute, of all connections with a token. */
  readonly perMinute: number;
  handle(call: MethodCall<Name>, gateway: GatewayContext): Promise<Methods[Name]["result"]>;
}

/** Checks the types of a method once; a table holds methods of every kind. */
export function defineMethod<Name extends TableMethod>(method: Method<Name>): Method {
  return method as Method<never>;
}
