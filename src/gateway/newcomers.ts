/** Connections that have not sent a whole request, counted by client: one cannot hold those of all others. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { canonicalAddress } from "./auth/client.ts";
import { placesOfNewcomers } from "./auth/shares.ts";

export function limitNewcomers(servers: readonly Server[]): void {
  const places = placesOfNewcomers();
  /** By the address and port of the other side, which a TLS connection shares with the TCP connection below it. */
  const waiting = new Map<string, () => void>();
  const known = new WeakSet<Socket>();

  const arrived = (socket: Socket): void => {
    const { remoteAddress = "" } = socket;
    const name = nameOf(socket);
    try {
      const leave = places.enter(canonicalAddress(remoteAddress));
      waiting.set(name, leave);
      socket.once("close", () => {
        leave();
        if (waiting.get(name) === leave) waiting.delete(name);
      });
    } catch {
      socket.destroy();
    }
  };

  const served = ({ socket }: IncomingMessage): void => {
    if (known.has(socket)) return;
    known.add(socket);
    const name = nameOf(socket);
    waiting.get(name)?.();
    waiting.delete(name);
  };

  const asked = (request: IncomingMessage, response: ServerResponse): void => {
    if (known.has(request.socket)) return;
    // Most requests are whole by now, except for their body.
    setImmediate(() => {
      if (request.complete) served(request);
      else response.once("close", () => served(request));
    });
  };

  for (const server of servers) server.on("connection", arrived).on("upgrade", served).on("request", asked);
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
