/** HTTP and WebSocket for people, browsers and programs, over one store. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Agents } from "../channel/setup/agents.ts";
import { type ColloquyError, invalid } from "../errors.ts";
import { checkObject, checkString } from "../util/checked-arguments.ts";
import { Auth } from "./auth/auth.ts";
import { GatewayChannels } from "./chat/channels.ts";
import { webAgent } from "./chat/web-agent.ts";
import type { GatewayContext } from "./context.ts";
import { AllowedHosts } from "./http/allowed-hosts.ts";
import { failureOf } from "./http/answer.ts";
import { httpApp } from "./http/app.ts";
import { ROUTES } from "./routes/table.ts";
import { Live } from "./socket/live.ts";
import { SocketServer } from "./socket/socket-server.ts";

export interface GatewayOptions {
  /** They, and their store, stay open when the gateway is closed. */
  readonly agents: Agents;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 18789; 0 takes a free one. */
  readonly port?: number;
  readonly version: string;
  /** Names besides those of this machine that requests may use. */
  readonly hosts?: readonly string[];
  /** Who may do what. Stays open too. */
  readonly auth: Auth;
  /** What fails outside of a request. Default: a process warning. */
  readonly onProblem?: (problem: ColloquyError) => void;
}

export interface Gateway extends AsyncDisposable {
  /** Such as `http://127.0.0.1:18789`. */
  readonly url: string;
  close(): Promise<void>;
}

/** A client that sends its headers slowly, or never, does not hold a connection for long. */
const CONNECTIONS = {
  headersTimeout: 5000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16_384,
} as const;
const CONNECTIONS_MAX = 8192;
/** How long running answers may take after a close was asked for. */
const GRACE_MS = 10_000;
const PORT = 18_789;
const PORT_MAX = 65_535;

/** Listen. Resolves when requests are answered. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  checkObject(options, "options");
  const { agents, version, host = "127.0.0.1", port = PORT, auth } = options;
  if (!(agents instanceof Agents)) throw invalid("agents must be the agents of an installation", "agents");
  if (!(auth instanceof Auth)) throw invalid("auth must be open: await Auth.open(…)", "auth");
  checkString(version, "version");
  checkString(host, "host");
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX)
    throw invalid(`port must be an integer from 0 to ${PORT_MAX}`, "port");
  const server = createServer(CONNECTIONS);
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(port, host);
  await once(server, "listening");
  const { port: bound } = server.address() as AddressInfo;
  const { store } = agents.installation;
  const { onProblem = ({ message }) => process.emitWarning(message) } = options;
  const live = new Live({ store, agentFor: webAgent(agents), onProblem });
  const channels = new GatewayChannels(onProblem);
  void channels.use(agents);
  const isRunning = (conversation: string): boolean => live.isRunning(conversation);
  const context: GatewayContext = { store, agents, version, auth, live, channels, isRunning };
  const hosts = new AllowedHosts(options.hosts ?? [], bound);
  const app = httpApp(ROUTES, context, hosts);
  const sockets = new SocketServer(context, hosts, onProblem);
  server.on("upgrade", sockets.upgrade);
  server.on(
    "request",
    getRequestListener((request, env) => app.fetch(request, env as HttpBindings), {
      errorHandler: failureOf,
    }),
  );
  const close = async (): Promise<void> => {
    const closed = once(server, "close");
    server.close();
    await Promise.all([channels.close(), live.close(GRACE_MS)]);
    sockets.close();
    sockets.terminate();
    server.closeAllConnections();
    await closed;
  };
  const url = `http://${host}:${bound}`;
  return { url, close, [Symbol.asyncDispose]: close };
}
