/** Where a request comes from. The only place that decides it. */
import { BlockList, isIP } from "node:net";
import { ColloquyError, invalid } from "../../errors.ts";
import { isLoopback } from "../../util/addresses.ts";
import type { Incoming } from "../http/incoming.ts";

export interface Client {
  /** Canonical: an IPv4-mapped address as IPv4, IPv6 as its /64, `local` for a Unix socket. */
  readonly address: string;
  /** The browser or program, as it names itself. */
  readonly agent: string | null;
  /** The `Origin` of a browser. */
  readonly origin: string | null;
  /** Whether the browser speaks HTTPS, to this process or to a proxy in front of it. */
  readonly isSecure: boolean;
  /** The port that the request arrived at. */
  readonly port: number;
  /** Whether the connection cannot come from another machine. That is not a reason to trust it. */
  readonly isLocal: boolean;
  /** One value for each time that the header occurs. */
  headers(name: string): readonly string[];
}

const AGENT_CHARS_MAX = 200;
const HOPS_MAX = 20;

export function clientOf(request: Incoming, proxies: BlockList): Client {
  const peer = plain(request.remoteAddress);
  const origin = request.headers("origin")[0] ?? null;
  return {
    address: peer === "" ? "local" : canonical(firstUntrusted(peer, request, proxies)),
    agent: request.headers("user-agent")[0]?.slice(0, AGENT_CHARS_MAX) ?? null,
    origin,
    isSecure: request.isEncrypted || origin?.startsWith("https://") === true,
    port: request.localPort,
    isLocal: peer === "" || (isLoopback(peer) && isLoopback(plain(request.localAddress))),
    headers: (name) => request.headers(name),
  };
}

/**
 * Each proxy adds the address that it sees at the end of `X-Forwarded-For`, so only as much of the list is believed as
 * proxies of the config wrote it. Everything before that is the client's own invention. Loopback is not trusted either.
 */
function firstUntrusted(peer: string, request: Incoming, proxies: BlockList): string {
  const hops = request.headers("x-forwarded-for").join(",").split(",").slice(-HOPS_MAX);
  let address = peer;
  while (hops.length > 0 && isListed(proxies, address)) {
    const next = plain(hops.pop()?.trim() ?? "");
    if (isIP(next) === 0) break;
    address = next;
  }
  return address;
}

/** The client at the other end of a connection, as far as the limits are concerned. */
export function canonicalAddress(remoteAddress: string): string {
  return canonical(plain(remoteAddress));
}

/** Throws `FORBIDDEN` unless a proxy of the config sent the request, or a program on this machine. */
export function assertProxy({ remoteAddress }: Pick<Incoming, "remoteAddress">, proxies: BlockList): void {
  const peer = plain(remoteAddress);
  if (peer === "" || isLoopback(peer) || isListed(proxies, peer)) return;
  throw new ColloquyError(
    "FORBIDDEN",
    "This connection is not encrypted. Connect through the proxy of this gateway (gateway.trustedProxies)",
  );
}

function isListed(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** One way to write an address: without the zone of an interface, and an IPv4-mapped one as IPv4. */
function plain(text: string): string {
  const [address = ""] = text.split("%");
  if (isIP(address) !== 6) return address;
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`;
}

/** One client for the limits: who has one IPv6 address has 2^64 of them. */
function canonical(address: string): string {
  if (isIP(address) !== 6) return address;
  const [left = "", right] = address.split("::");
  const before = left === "" ? [] : left.split(":");
  const after = right === undefined || right === "" ? [] : right.split(":");
  const zeros = right === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

/** Addresses and networks such as `10.0.0.0/8`. */
export function addressList(items: readonly string[], field: string): BlockList {
  const list = new BlockList();
  for (const item of items) {
    const [address = "", prefix] = item.split("/");
    const family = isIP(address);
    const bits = prefix === undefined ? undefined : Number(prefix);
    const max = family === 6 ? 128 : 32;
    // A network of everything would believe every header.
    if (family === 0 || (bits !== undefined && !(Number.isInteger(bits) && bits >= 8 && bits <= max)))
      throw invalid(
        `${field} must list addresses or networks such as 10.0.0.0/8, not ${item.slice(0, 64)}`,
        field,
      );
    const kind = family === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, kind);
    else list.addSubnet(address, bits, kind);
  }
  return list;
}
