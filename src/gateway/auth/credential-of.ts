/** The credential of a request: of its `Authorization` header, or else of its cookie. */
import { ColloquyError, unauthorized } from "../../errors.ts";
import { isSafe } from "../http/incoming.ts";
import type { Client } from "./client.ts";
import { cookieIn } from "./cookies.ts";

/** What a token may consist of, to be sent in a header. */
export const TOKEN_TEXT: RegExp = /^[\w.~+/=-]+$/;
const BEARER = /^Bearer ([\w.~+/=-]+)$/i;

/** `undefined` if there is none. Throws `UNAUTHORIZED` if it is malformed, and `FORBIDDEN` for a forged request. */
export function credentialOf(client: Client, method: string): string | undefined {
  const [header, ...more] = client.headers("authorization");
  if (header !== undefined) {
    const token = more.length === 0 ? BEARER.exec(header)?.[1] : undefined;
    if (token === undefined) throw unauthorized("The Authorization header must be: Bearer TOKEN");
    return token;
  }
  const cookie = cookieIn(client, "access");
  if (cookie !== undefined && !isSafe(method)) assertOwnPage(client);
  return cookie;
}

/**
 * A browser sends cookies with requests of other sites on the same host too, such as another port of this machine. The
 * origin has been compared with ours already; here it only has to be there.
 */
export function assertOwnPage({ origin, headers }: Client): void {
  const sites = headers("sec-fetch-site");
  if (origin !== null && sites.every((site) => site === "same-origin")) return;
  throw new ColloquyError("FORBIDDEN", "Cookies are only for the page of this gateway. Programs use a token");
}
