/** Requests to the gateway that served this page, and to nothing else. Cookies say who asks. */
import { GatewayError } from "../../../src/gateway/client/index.ts";
import type { ErrorBody } from "../../../src/gateway/wire/rest.ts";
import { session } from "./session.ts";

export interface Ask {
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly bytes?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** These work without being signed in. Others below `/auth/`, such as tickets, need it like everything else. */
const SIGN_IN_PATHS: ReadonlySet<string> = new Set(["/auth/token", "/auth/refresh", "/auth/session"]);

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `path` is below `/api/v1/`, or begins with `/`. Rejects with a `GatewayError`. */
export async function api<T>(method: Method, path: string, ask: Ask = {}): Promise<T> {
  const response = await answered(method, path, ask);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

/** The answer itself, for downloads. */
export async function answered(method: Method, path: string, ask: Ask = {}): Promise<Response> {
  let response = await request(method, path, ask);
  // The access token ends before the sign-in does: renew it once, then ask again.
  const canRenew = response.status === 401 && !SIGN_IN_PATHS.has(path);
  if (canRenew && (await renewed())) response = await request(method, path, ask);
  if (response.ok) return response;
  const error = await errorOf(response);
  if (response.status === 401 && canRenew) session.update((old) => old && { ...old, signedIn: false });
  throw error;
}

/** The address of something below `/api/v1/`. */
export function address(path: string, query: Ask["query"] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const place = path.startsWith("/") ? path : `/api/v1/${path}`;
  return search.size === 0 ? place : `${place}?${search}`;
}

async function request(method: Method, path: string, ask: Ask): Promise<Response> {
  const headers = new Headers(ask.headers);
  if (ask.body !== undefined) headers.set("content-type", "application/json");
  else if (ask.bytes) headers.set("content-type", ask.bytes.type || "application/octet-stream");
  try {
    return await fetch(address(path, ask.query), {
      method,
      headers,
      credentials: "same-origin",
      redirect: "error",
      ...(ask.body === undefined ? ask.bytes && { body: ask.bytes } : { body: JSON.stringify(ask.body) }),
      ...(ask.signal && { signal: ask.signal }),
    });
  } catch (error) {
    if (ask.signal?.aborted) throw error;
    throw new GatewayError({
      code: "NETWORK_ERROR",
      message: "The gateway does not answer. It may have stopped; the page tries again by itself.",
      field: null,
    });
  }
}

let renewing: Promise<boolean> | undefined;

/** One renewal serves all requests that wait for it. */
async function renewed(): Promise<boolean> {
  renewing ??= request("POST", "/auth/refresh", { body: { cookies: true } })
    .then(
      ({ ok }) => ok,
      () => false,
    )
    .finally(() => {
      renewing = undefined;
    });
  return renewing;
}

async function errorOf(response: Response): Promise<GatewayError> {
  const body: Partial<ErrorBody> = await response.json().catch(() => ({}));
  return new GatewayError(
    body.error ?? {
      code: "INTERNAL_ERROR",
      message: `The gateway answered with status ${response.status}.`,
      field: null,
    },
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
