/** The HTTP interface, from the table of routes. */
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { asColloquyError, ColloquyError } from "../../errors.ts";
import type { GatewayContext } from "../context.ts";
import type { Route } from "../routes/route.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";
import { answerOf, failureOf } from "./answer.ts";
import { HttpError } from "./http-error.ts";
import { IncomingRequest, isSafe } from "./incoming.ts";
import type { Page } from "./page.ts";
import { requestFor } from "./route-request.ts";

type Env = { Bindings: HttpBindings };

export function httpApp(
  routes: readonly Route[],
  gateway: GatewayContext,
  hosts: AllowedHosts,
  page: Page,
): Hono<Env> {
  const app = new Hono<Env>();
  // Before routing, so that nothing can be reached by a wrong name.
  app.use(async ({ env }, next) => {
    checkTarget(env.incoming.url ?? "");
    checkNoBody(env.incoming);
    const request = new IncomingRequest(env.incoming);
    gateway.auth.assertPeer(request);
    hosts.check(request);
    await next();
  });
  for (const route of routes) {
    app.on(route.method, patternOf(route), (context) => answer(route, context, gateway));
  }
  for (const [path, methods] of methodsByPath(routes)) app.all(path, () => refuseMethod(methods));
  app.notFound(({ req }) => page.answer(req.method, req.path) ?? failureOf(noAddress()));
  app.onError((error) => {
    logProblem(gateway, undefined, error);
    return failureOf(error);
  });
  return app;
}

function noAddress(): ColloquyError {
  return new ColloquyError("NOT_FOUND", "There is no such address");
}

async function answer(route: Route, { req, env }: Context<Env>, gateway: GatewayContext): Promise<Response> {
  const startMs = performance.now();
  let user: string | undefined;
  const recorded = (response: Response): Response => {
    const ms = performance.now() - startMs;
    const { method, path } = route;
    gateway.metrics.add(method, path, response.status, ms);
    // The path of the route: that of the request may have names, which are private.
    gateway.log.info({ method, path, status: response.status, ms: Math.round(ms), user }, "request");
    return response;
  };
  try {
    const request = await requestFor(route, req.param(), env, gateway);
    user = request.principal?.user;
    return recorded(answerOf(await route.handle(request, gateway), route));
  } catch (error) {
    logProblem(gateway, route, error);
    return recorded(failureOf(error));
  }
}

/** What is our fault, with its cause. */
function logProblem({ log }: GatewayContext, route: Route | undefined, error: unknown): void {
  const { code, message, stack } = asColloquyError(error, "The gateway failed");
  const path = route?.path;
  if (code === "INTERNAL_ERROR") log.error({ path, problem: message, stack }, "failed");
  else if (route === undefined) log.info({ code, problem: message }, "refused");
}

/** `.` and `..`, which a proxy in front of the gateway may read in another way. */
const DOTS = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** A whole URL, as for a proxy, would have a second host name. */
function checkTarget(target: string): void {
  if (!target.startsWith("/")) throw new HttpError(400, "VALIDATION_ERROR", "The address must begin with /");
  if (DOTS.test(target)) throw new HttpError(400, "VALIDATION_ERROR", "The address must not have . or ..");
}

/** It would not be read, and the connection would stay open until it has arrived. */
function checkNoBody({ method = "GET", headers }: HttpBindings["incoming"]): void {
  const length = headers["content-length"] ?? "0";
  if (!isSafe(method) || (length === "0" && headers["transfer-encoding"] === undefined)) return;
  throw new HttpError(400, "VALIDATION_ERROR", `A ${method} has no body`, {
    headers: { connection: "close" },
  });
}

function patternOf({ path }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function methodsByPath(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const byPath = Map.groupBy(routes, patternOf);
  return new Map([...byPath].map(([path, group]) => [path, group.map(({ method }) => method)]));
}

function refuseMethod(methods: readonly string[]): never {
  const allow = methods.join(", ");
  throw new HttpError(405, "VALIDATION_ERROR", `Only ${allow} is possible here`, { headers: { allow } });
}
