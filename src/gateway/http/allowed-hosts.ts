/**
 * Which names a request may use for this gateway, and which pages may send it. Checked before anything else: a page
 * that points its own name at this machine (DNS rebinding) is refused by the name.
 */
import { ColloquyError, invalid } from "../../errors.ts";
import { type Incoming, isSafe } from "./incoming.ts";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
const HTTP_PORT = 80;
const HTTPS_PORT = 443;
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

export class AllowedHosts {
  readonly #port: number;
  /** Names are also sent without the port. */
  readonly #isBare: boolean;
  /** Of this gateway, whatever the config says. */
  readonly #own: readonly string[];
  #hosts: ReadonlySet<string>;

  constructor(own: readonly string[], port: number, isEncrypted: boolean) {
    this.#port = port;
    this.#isBare = port === (isEncrypted ? HTTPS_PORT : HTTP_PORT);
    this.#own = own;
    this.#hosts = this.#all([]);
  }

  /** `names` are host names or addresses, also with the port of a proxy in front of the gateway. */
  use(names: readonly string[]): void {
    this.#hosts = this.#all(names);
  }

  /** Throws if `use` would. */
  checkNames(names: readonly string[]): void {
    this.#all(names);
  }

  #all(names: readonly string[]): ReadonlySet<string> {
    const given = [...this.#own, ...names].map(checkHostName);
    const withPort = [...LOOPBACK, ...given.filter((name) => !hasPort(name))].map(
      (name) => `${name}:${this.#port}`,
    );
    return new Set([...withPort, ...given, ...(this.#isBare ? LOOPBACK : [])]);
  }

  /** Throws unless the request is for us and, if a page sends it, from our page. */
  check(request: Incoming): void {
    const host = this.#hostOf(request);
    checkOrigin(request, host);
    const site = request.header("sec-fetch-site");
    if (site !== undefined && site !== "same-origin" && !isSafe(request.method)) {
      throw new ColloquyError("FORBIDDEN", "Another site may not change anything here");
    }
  }

  #hostOf(request: Incoming): string {
    const [host, ...more] = request.headers("host").map((name) => name.toLowerCase());
    if (host === undefined || more.length > 0 || !this.#hosts.has(host)) {
      throw new ColloquyError(
        "FORBIDDEN",
        "This gateway has another name. Add the host name to gateway.hosts if requests should use it",
        { field: "Host" },
      );
    }
    return host;
  }
}

/** `Origin` is absent in requests of programs and in plain links; otherwise it must be the page of this very host. */
function checkOrigin(request: Incoming, host: string): void {
  const origin = request.header("origin")?.toLowerCase();
  if (origin === undefined || origin === `https://${host}`) return;
  // Without encryption here, a proxy in front of the gateway may or may not speak HTTPS.
  if (!request.isEncrypted && origin === `http://${host}`) return;
  throw new ColloquyError("FORBIDDEN", "Requests of other sites are refused", { field: "Origin" });
}

function checkHostName(name: string): string {
  const lower = name.toLowerCase();
  if (HOST_NAME.test(lower)) return lower;
  throw invalid(`gateway.hosts: "${name}" is not a host name such as chat.example.com`, "gateway.hosts");
}

function hasPort(name: string): boolean {
  return /:\d+$/.test(name.replace(/^\[.*\]/, ""));
}
