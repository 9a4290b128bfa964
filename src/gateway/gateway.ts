/** HTTP and WebSocket for people, browsers and programs, over one store. */
import { once } from "node:events";
import { join } from "node:path";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Agents, type Settings } from "../channel/setup/agents.ts";
import { asColloquyError, type ColloquyError, invalid } from "../errors.ts";
import { checkObject, checkString } from "../util/checked-arguments.ts";
import { Auth } from "./auth/auth.ts";
import { runningNote } from "./auth/running-note.ts";
import { GatewayChannels } from "./chat/channels.ts";
import { answerWaiting } from "./chat/orders.ts";
import { webAgent } from "./chat/web-agent.ts";
import { LiveConfig } from "./config/live-config.ts";
import { watchCredentials } from "./config/watch-credentials.ts";
import type { GatewayContext } from "./context.ts";
import { AllowedHosts } from "./http/allowed-hosts.ts";
import { failureOf } from "./http/answer.ts";
import { httpApp } from "./http/app.ts";
import { Metrics } from "./http/metrics.ts";
import { Page } from "./http/page.ts";
import { ImportJobs } from "./imports/import-jobs.ts";
import { KeptFiles } from "./kept/kept-files.ts";
import { listen } from "./listen.ts";
import { type ListenSettings, ownName, PORT, PORT_MAX } from "./listen-settings.ts";
import { type GatewayLog, NO_LOG } from "./log.ts";
import { recent } from "./recent.ts";
import { ROUTES } from "./routes/table.ts";
import { Live } from "./socket/live.ts";
import { SocketServer } from "./socket/socket-server.ts";
import { UsageIndex } from "./usage/usage-index.ts";
import type { ConfigView } from "./wire/rest.ts";

export interface GatewayOptions extends ListenSettings {
  /** They, and their store, stay open when the gateway is closed. */
  readonly agents: Agents;
  readonly version: string;
  /** Names that requests may use, besides those of this machine and of `gateway.hosts`. */
  readonly hosts?: readonly string[];
  /** Who may do what. Stays open too. */
  readonly auth: Auth;
  /** The folder of the page. Without it, only programs are served. */
  readonly page?: string | undefined;
  /** Write the session index and the models files in another thread, so that this one never waits for the disk. */
  readonly thread?: boolean;
  /** Notes requests. Default: nothing is noted. */
  readonly log?: GatewayLog;
  /** What fails outside of a request. Default: a process warning. */
  readonly onProblem?: (problem: ColloquyError) => void;
}

export interface Gateway extends AsyncDisposable {
  /** Such as `http://127.0.0.1:18789`. */
  readonly url: string;
  /**
   * Use other settings from now on, without a restart. Resolves when they are in effect, or refused: then the former
   * ones stay. `GET /api/v1/status` says which, and what waits for the next start.
   */
  use(settings: Settings): Promise<void>;
  /** The config cannot be read: those who ask are told, and nothing changes. */
  refuse(problem: ColloquyError): Promise<void>;
  close(): Promise<void>;
}

/** How long running answers may take after a close was asked for. */
const GRACE_MS = 10_000;
/** Counting asks the store, and pages and monitors ask often. */
const COUNTS_MS = 5000;

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
  new AllowedHosts(names, port, isEncrypted).use(auth.settings.hosts);
  const { url, port: bound, servers } = await listen({ host, port, tls: options.tls });
  const { store, stateDir } = agents.installation;
  const { onProblem = ({ message }) => process.emitWarning(message) } = options;
  const files = new KeptFiles(agents, log, options.thread === true);
  const live = new Live({ store, agentFor: webAgent(agents), onChange: () => files.touch(), onProblem });
  answerWaiting({ store, chats: live.chats }).catch((error: unknown) =>
    onProblem(asColloquyError(error, "Cannot answer what was sent")),
  );
  const channels = new GatewayChannels(onProblem);
  void channels.use(agents);
  const imports = new ImportJobs(agents.installation);
  const usage = new UsageIndex(store, join(stateDir, "usage.json"));
  const hosts = new AllowedHosts(names, bound, isEncrypted);
  hosts.use(auth.settings.hosts);
  const note = runningNote(auth.changes, url, onProblem);
  const onState = (state: ConfigView): void => void note.write(state);
  const config = new LiveConfig({ agents, auth, hosts, channels, files, log, onState });
  const context: GatewayContext = {
    store,
    agents,
    version,
    auth,
    config,
    live,
    channels,
    imports,
    usage,
    log,
    metrics: new Metrics(),
    isRunning: (conversation) => live.isRunning(conversation),
    counts: recent(() => store.counts(), COUNTS_MS),
  };
  const app = httpApp(ROUTES, context, hosts, page);
  const sockets = new SocketServer(context, hosts, onProblem);
  const listener = getRequestListener((request, env) => app.fetch(request, env as HttpBindings), {
    errorHandler: failureOf,
  });
  for (const server of servers) server.on("upgrade", sockets.upgrade).on("request", listener);
  void files.settingsChanged();
  const keys = watchCredentials(agents, () => config.credentialsChanged());
  // Commands find it from now on.
  await note.write(config.state);
  const close = async (): Promise<void> => {
    const closed = servers.map((server) => once(server.close(), "close"));
    keys.close();
    await config.close();
    await Promise.all([channels.close(), live.close(GRACE_MS), imports.close()]);
    await files.close();
    await note.forget();
    await sockets.close();
    for (const server of servers) server.closeAllConnections();
    await Promise.all(closed);
    usage.close();
  };
  return {
    url,
    close,
    use: (settings) => config.use(settings),
    refuse: (problem) => config.refuse(problem),
    [Symbol.asyncDispose]: close,
  };
}
