/** The cookies of browsers. JavaScript cannot read them, and other sites cannot make a browser send them. */
import type { Client } from "./client.ts";

/** `access` opens the gateway, `refresh` renews it, `device` names a browser that has signed in before. */
export type CookieName = "access" | "refresh" | "device";

const COOKIES_CHARS_MAX = 16_384;

/**
 * `__Host-` lets only this host set the cookie, and only over HTTPS. Without HTTPS the port is part of the name: browsers
 * share cookies between the ports of a host, and two gateways would overwrite each other's.
 */
function nameOf(name: CookieName, { isSecure, port }: Pick<Client, "isSecure" | "port">): string {
  return isSecure ? `__Host-colloquy-${name}` : `colloquy-${name}-${port}`;
}

export function cookieIn(client: Client, name: CookieName): string | undefined {
  const text = client.headers("cookie").join("; ");
  if (text.length > COOKIES_CHARS_MAX) return undefined;
  const secure = (): string | undefined => cookieOf(text, nameOf(name, { ...client, isSecure: true }));
  const plain = (): string | undefined => cookieOf(text, nameOf(name, { ...client, isSecure: false }));
  // Another port of this machine can set either kind, and so can a network over HTTP the plain one.
  if (client.isSecure) return secure();
  if (isLoopbackName(client)) return plain();
  // Most requests of a browser behind a proxy do not say that they are secure.
  return secure() ?? plain();
}

function isLoopbackName({ headers }: Client): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.test(headers("host")[0] ?? "");
}

/** `undefined` also if there are two: one of them was planted. */
function cookieOf(cookies: string, name: string): string | undefined {
  const found = cookies.split(";").flatMap((part) => {
    const [key = "", ...value] = part.trim().split("=");
    return key === name ? [value.join("=")] : [];
  });
  return found.length === 1 && found[0] !== "" ? found[0] : undefined;
}

/** The value of a `Set-Cookie` header. Without a value the cookie is removed. */
export function cookieText(client: Client, name: CookieName, value: string, lifeMs: number): string {
  const parts = [
    `${nameOf(name, client)}=${value}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Strict",
    `Max-Age=${value === "" ? 0 : Math.floor(lifeMs / 1000)}`,
  ];
  return [...parts, ...(client.isSecure ? ["Secure"] : [])].join("; ");
}
