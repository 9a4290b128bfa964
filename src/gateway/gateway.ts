/** HTTP and WebSocket for people, browsers and programs, over one store. */
import { once } from "node:events";
import type { Server } from "node:http";
import { join } from "node:path";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Agents } from "../channel/setup/agents.ts";
import { asColloquyError, type ColloquyError, invalid } from "../errors.ts";
import { checkObject, checkString } from "../util/checked-arguments.ts";
import { Auth } from "./auth/auth.ts";
import { GatewayChannels } from "./chat/channels.ts";
import { webAgent } from "./chat/web-agent.ts";
import type { GatewayContext } from "./context.ts";
import { AllowedHosts } from "./http/allowed-hosts.ts";
import { failureOf } from "./http/answer.ts";
import { httpApp } from "./http/app.ts";
import { Metrics } from "./http/metrics.ts";
import { Page } from "./http/page.ts";
import { ImportJobs } from "./imports/import-jobs.ts";
import { keepFiles } from "./kept-files.ts";
import { type ListenSettings, listen, ownName, PORT } from "./listen.ts";
import { type GatewayLog, NO_LOG } from "./log.ts";
import { ROUTES } from "./routes/table.ts";
import { Live } from "./socket/live.ts";
import { SocketServer } from "./socket/socket-server.ts";
import { UsageIndex } from "./usage/usage-index.ts";

export interface GatewayOptions extends ListenSettings {
  /** They, and their store, stay open when the gateway is closed. */
  readonly agents: Agents;
  readonly version: string;
  /** Names besides those of this machine that requests may use. */
  readonly hosts?: readonly string[];
  /** Who may do what. Stays open too. */
  readonly auth: Auth;
  /** The folder of the page. Without it, only programs are served. */
  readonly page?: string | undefined;
  /** Notes requests. Default: nothing is noted. */
  readonly log?: GatewayLog;
  /** What fails outside of a request. Default: a process warning. */
  readonly onProblem?: (problem: ColloquyError) => void;
}

export interface Gateway extends AsyncDisposable {
  /** Such as `http://127.0.0.1:18789`. */
  readonly url: string;
  /** For what else is to be attached to them. */
  readonly servers: readonly Server[];
  close(): Promise<void>;
}

/** How long running answers may take after a close was asked for. */
const GRACE_MS = 10_000;
const RECENT_MS = 5000;
const PORT_MAX = 65_535;

/** Listen. Resolves when requests are answered. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  checkObject(options, "options");
  const { agents, version, host, port = PORT, auth, log = NO_LOG } = options;
  if (!(agents instanceof Agents)) throw invalid("agents must be the agents of an installation", "agents");
  if (!(auth instanceof Auth)) throw invalid("auth must be open: await Auth.open(…)", "auth");
  checkString(version, "version");
  if (host !== undefined) checkString(host, "host");
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX)
    throw invalid(`port must be an integer from 0 to ${PORT_MAX}`, "port");
  const page = new Page(options.page);
  const isEncrypted = options.tls !== undefined;
  // Wrong names are refused before anything listens.
  const names = [...(options.hosts ?? []), ...ownName(host)];
  new AllowedHosts(names, port, isEncrypted);
  const { url, port: bound, servers } = await listen({ host, port, tls: options.tls });
  const { store, stateDir } = agents.installation;
  const { onProblem = ({ message }) => process.emitWarning(message) } = options;
  const live = new Live({ store, agentFor: webAgent(agents), onProblem });
  const channels = new GatewayChannels(onProblem);
  void channels.use(agents);
  const imports = new ImportJobs(agents.installation);
  const usage = new UsageIndex(store, join(stateDir, "usage.json"));
  const context: GatewayContext = {
    ...{ store, agents, version, auth, live, channels, imports, usage, log, metrics: new Metrics() },
    isRunning: (conversation) => live.isRunning(conversation),
    stats: recent(() => store.stats()),
  };
  const hosts = new AllowedHosts(names, bound, isEncrypted);
  const app = httpApp(ROUTES, context, hosts, page);
  const sockets = new SocketServer(context, hosts, onProblem);
  const listener = getRequestListener((request, env) => app.fetch(request, env as HttpBindings), {
    errorHandler: failureOf,
  });
  for (const server of servers) server.on("upgrade", sockets.upgrade).on("request", listener);
  const stop = new AbortController();
  const kept = keepFiles(agents, log, stop.signal).catch((error: unknown) =>
    onProblem(asColloquyError(error, "The session index is no longer kept current")),
  );
  const close = async (): Promise<void> => {
    const closed = servers.map((server) => once(server.close(), "close"));
    stop.abort();
    await Promise.all([channels.close(), live.close(GRACE_MS), imports.close(), kept]);
    await sockets.close();
    for (const server of servers) server.closeAllConnections();
    await Promise.all(closed);
    usage.close();
  };
  return { url, servers, close, [Symbol.asyncDispose]: close };
}

/** The same answer for a few seconds, and one question at a time. */
function recent<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (last !== undefined && performance.now() < until) return last;
    until = Number.POSITIVE_INFINITY;
    last = ask().finally(() => {
      until = performance.now() + RECENT_MS;
    });
    return last;
  };
}
