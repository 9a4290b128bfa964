/** Everything that is checked before a route sees a request: who sends it, whether they may, and what they send. */
import type { HttpBindings } from "@hono/node-server";
import { checkInput, type ObjectSchema } from "../../agent/index.ts";
import { ColloquyError } from "../../errors.ts";
import type { JsonObject } from "../../util/json.ts";
import { assertPermission, isInScope, type Principal } from "../auth/principal.ts";
import type { GatewayContext } from "../context.ts";
import type { Route, RouteRequest } from "../routes/route.ts";
import { goneSignal, IncomingRequest } from "./incoming.ts";
import { readBytes, readJson } from "./read-body.ts";
import { readQuery } from "./read-query.ts";

const BODY_MAX = 1024 * 1024;
/** A stranger has as long for the body as for the headers. */
const STRANGER_BODY_MS = 5000;
const NOTHING: ObjectSchema = { type: "object", properties: {} };

type Checked = Pick<
  RouteRequest<JsonObject, JsonObject>,
  "params" | "query" | "body" | "bytes" | "principal"
>;

export async function requestFor(
  route: Route,
  params: Readonly<Record<string, string>>,
  { incoming, outgoing }: HttpBindings,
  gateway: GatewayContext,
): Promise<RouteRequest<JsonObject, JsonObject>> {
  const request = new IncomingRequest(incoming);
  const principal = await principalOf(route, request, gateway);
  if (principal !== undefined) await checkScope(route, params, principal, gateway);
  const query = readQuery(searchOf(incoming.url ?? ""), route.query ?? NOTHING);
  checkInput(closed(route.query ?? NOTHING), query);
  const max = route.bodyMax ?? BODY_MAX;
  const waitMs = principal === undefined ? STRANGER_BODY_MS : undefined;
  const body = route.body === undefined ? {} : await readJson(incoming, { max, waitMs });
  if (route.body !== undefined) checkInput(closed(route.body), body);
  const bytes = route.bytes === true ? readBytes(incoming, max) : NO_BYTES;
  // Only public routes can be without one, and they do not rely on it.
  const known = { params, query, body: body as JsonObject, bytes, principal: principal as Principal };
  return new CheckedRequest(incoming, outgoing, known);
}

async function principalOf(
  route: Route,
  request: IncomingRequest,
  { auth }: GatewayContext,
): Promise<Principal | undefined> {
  if (route.permission === "public") return undefined;
  const principal = await auth.authenticate(request);
  if (principal === undefined) throw new ColloquyError("UNAUTHORIZED", "Sign in first");
  assertPermission(principal, route.permission);
  return principal;
}

async function checkScope(
  { scoped }: Route,
  { id = "" }: Readonly<Record<string, string>>,
  { scope }: Principal,
  { store }: GatewayContext,
): Promise<void> {
  if (scope === null || scoped === "filters") return;
  if (scoped === undefined) {
    throw new ColloquyError("FORBIDDEN", "This token is limited to some conversations");
  }
  const info = await store.info(id);
  // The same as if it did not exist.
  if (info === undefined || !isInScope(scope, info)) {
    throw new ColloquyError("NOT_FOUND", `There is no conversation ${id}`);
  }
}

function searchOf(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}

/** Schemas name every property that there is. */
function closed(schema: ObjectSchema): ObjectSchema {
  return { additionalProperties: false, ...schema };
}

async function* none(): AsyncGenerator<Uint8Array> {}
const NO_BYTES = none();

class CheckedRequest extends IncomingRequest implements RouteRequest<JsonObject, JsonObject> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: JsonObject;
  readonly body: JsonObject;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly principal: Principal;
  readonly #outgoing: HttpBindings["outgoing"];
  #signal: AbortSignal | undefined;

  constructor(incoming: HttpBindings["incoming"], outgoing: HttpBindings["outgoing"], checked: Checked) {
    super(incoming);
    this.#outgoing = outgoing;
    this.params = checked.params;
    this.query = checked.query;
    this.body = checked.body;
    this.bytes = checked.bytes;
    this.principal = checked.principal;
  }

  /** Made when a route asks for it. */
  get signal(): AbortSignal {
    this.#signal ??= goneSignal(this.#outgoing);
    return this.#signal;
  }
}
