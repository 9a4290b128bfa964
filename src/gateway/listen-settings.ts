/** Where a gateway listens, as the config says. */
import { networkInterfaces } from "node:os";
import { invalid, unavailable } from "../errors.ts";
import type { JsonObject } from "../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, textIn } from "../util/values.ts";

export interface ListenSettings {
  /** Default: both addresses of loopback. */
  readonly host?: string | undefined;
  /** Default: 18789; 0 takes a free one. */
  readonly port?: number | undefined;
  /** Serve HTTPS. */
  readonly tls?: TlsFiles | undefined;
}

export interface TlsFiles {
  readonly certPath: string;
  readonly keyPath: string;
}

export const PORT = 18_789;
export const PORT_MAX = 65_535;
const ANY_IPV4 = "0.0.0.0";
/** As in a URL, where each address has one spelling. With `::`, those of IPv4 are included. */
const ANY: ReadonlySet<string> = new Set([ANY_IPV4, "[::]", "[::ffff:0:0]"]);
/** Of Tailscale. An address in it proves nothing about who uses it. */
const TAILNET = /^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;

/** From `gateway` of the config. */
export function listenSettings(gateway: JsonObject): ListenSettings {
  const tls = objectIn(gateway.tls);
  return {
    host: hostOf(gateway),
    port: numberIn(gateway.port),
    tls:
      tls?.enabled === true
        ? { certPath: fileIn(tls, "certPath"), keyPath: fileIn(tls, "keyPath") }
        : undefined,
  };
}

function hostOf(gateway: JsonObject): string | undefined {
  switch (textIn(gateway.bind) ?? "loopback") {
    case "lan":
      return anyAddress(ANY_IPV4, gateway);
    case "tailnet":
      return tailnetAddress();
    case "custom": {
      const host = filledIn(gateway.customBindHost);
      if (host !== undefined) return isAny(host) ? anyAddress(host, gateway) : host;
      throw invalid(
        "gateway.bind is custom, and gateway.customBindHost is not set",
        "gateway.customBindHost",
      );
    }
    default:
      return undefined;
  }
}

/** Every address is also every name that others may use for this machine. */
function anyAddress(host: string, { bind, hosts }: JsonObject): string {
  if (listIn(hosts).length > 0) return host;
  throw invalid(
    `The gateway does not start: gateway.bind is ${bind}, and gateway.hosts does not name the host that others use`,
    "gateway.hosts",
  );
}

function tailnetAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const found = all.find(({ family, address }) => family === "IPv4" && TAILNET.test(address));
  if (found !== undefined) return found.address;
  throw unavailable("gateway.bind is tailnet, and this machine has no address of Tailscale. Is it running?");
}

function fileIn(tls: JsonObject, name: string): string {
  const path = filledIn(tls[name]);
  if (path !== undefined) return path;
  throw invalid(`gateway.tls is enabled, and gateway.tls.${name} is not set`, `gateway.tls.${name}`);
}

/** Where this machine reaches a gateway with these settings. */
export function urlOf({ host, port = PORT, tls }: ListenSettings): string {
  const name = host === undefined || isAny(host) ? "127.0.0.1" : inUrl(host);
  return `${tls === undefined ? "http" : "https"}://${name}:${port}`;
}

/** The name that requests may use because the gateway listens there. */
export function ownName(host: string | undefined): readonly string[] {
  return host === undefined || isAny(host) ? [] : [inUrl(host)];
}

/** Whether it is every address of this machine. */
function isAny(host: string): boolean {
  return ANY.has(URL.parse(`http://${inUrl(host)}`)?.hostname ?? "");
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
