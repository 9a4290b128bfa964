/** What a method of the WebSocket protocol is. Like a route: nothing else can be called. */
import type { ObjectSchema } from "../../agent/index.ts";
import type { Principal } from "../auth/principal.ts";
import type { GatewayContext } from "../context.ts";
import type { Permission } from "../wire/auth.ts";
import type { MethodName, Methods } from "../wire/frames.ts";

export interface MethodCall<Name extends MethodName> {
  readonly params: Methods[Name]["params"];
  readonly principal: Principal;
}

export interface Method<Name extends MethodName = MethodName> {
  readonly name: Name;
  readonly permission: Permission;
  /** JSON Schema. Properties that it does not name are refused. */
  readonly params: ObjectSchema;
  /** Calls a minute for each connection. */
  readonly perMinute: number;
  handle(call: MethodCall<Name>, gateway: GatewayContext): Promise<Methods[Name]["result"]>;
}
