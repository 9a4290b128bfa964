/** Listens for requests. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { unavailable } from "../errors.ts";
import { TCP_CONNECTIONS_MAX } from "./auth/shares.ts";
import { type ListenSettings, PORT, type TlsFiles, urlOf } from "./listen-settings.ts";
import { limitNewcomers } from "./newcomers.ts";

export interface Listener {
  readonly url: string;
  readonly port: number;
  readonly servers: readonly Server[];
}

const LOOPBACK = ["127.0.0.1", "::1"];
/** A client that sends its headers slowly, or never, does not hold a connection for long. */
const CONNECTIONS = {
  headersTimeout: 5000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16_384,
} as const;

export async function listen({ host, port = PORT, tls }: ListenSettings): Promise<Listener> {
  const addresses = host === undefined ? LOOPBACK : [host];
  const servers: Server[] = [];
  let bound = port;
  for (const address of addresses) {
    const server = tls === undefined ? createServer(CONNECTIONS) : secured(tls);
    server.maxConnections = TCP_CONNECTIONS_MAX;
    try {
      server.listen(bound, address);
      await once(server, "listening");
    } catch (error) {
      // Not every machine has IPv6.
      if (servers.length > 0 && NO_ADDRESS.has((error as NodeJS.ErrnoException).code ?? "")) continue;
      for (const other of servers) other.close();
      throw refused(error as NodeJS.ErrnoException, address, bound);
    }
    servers.push(server);
    bound = (server.address() as AddressInfo).port;
  }
  limitNewcomers(servers);
  return { url: urlOf({ host, port: bound, tls }), port: bound, servers };
}

const NO_ADDRESS: ReadonlySet<string> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

function secured({ certPath, keyPath }: TlsFiles): Server {
  return createTlsServer({
    ...CONNECTIONS,
    cert: readFileSync(certPath),
    key: readFileSync(keyPath),
    minVersion: "TLSv1.2",
    handshakeTimeout: CONNECTIONS.headersTimeout,
  });
}

function refused(error: NodeJS.ErrnoException, address: string, port: number): Error {
  const why =
    error.code === "EADDRINUSE"
      ? "the port is in use, perhaps by another gateway. Stop it, or set gateway.port"
      : error.message;
  return unavailable(`Cannot listen on ${address}:${port}: ${why}`, { cause: error });
}
