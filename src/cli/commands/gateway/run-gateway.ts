/** Runs the gateway until it is stopped. */
import { once } from "node:events";
import type { ColloquyError } from "../../../errors.ts";
import { Auth } from "../../../gateway/auth/auth.ts";
import { openGateway } from "../../../gateway/gateway.ts";
import { listenSettings } from "../../../gateway/listen.ts";
import { openLog } from "../../../gateway/log.ts";
import { watchConfig } from "../../../state/config/watch.ts";
import { objectIn } from "../../../util/values.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { configOptions } from "../../input/config-options.ts";
import { integerOf } from "../../input/integer.ts";
import { showResult } from "../../show-result.ts";
import { openToImport } from "../../store/open-store.ts";
import { stopOnInterrupt } from "../../terminal/interrupt.ts";
import { packageVersion } from "../../version.ts";
import { warn } from "../auth/access.ts";
import { openAgents } from "../chat/open-agents.ts";
import { openBrowser } from "./browser.ts";
import { pageFolder } from "./page-folder.ts";

const PORT_MAX = 65_535;

export async function runGateway(
  call: Call,
  { opensBrowser }: { readonly opensBrowser: boolean },
): Promise<Result> {
  const given = call.values.get("port");
  const port = given === undefined ? undefined : integerOf(given, "port", PORT_MAX, 0);
  const interrupt = stopOnInterrupt();
  await using store = await openToImport(call);
  await using agents = await openAgents(call, store, [
    "gateway",
    "channels",
    "streaming",
    "session",
    "sessions",
  ]);
  const { config, stateDir } = agents.installation;
  const section = objectIn(config.gateway) ?? {};
  // Refuses unsafe settings before anything listens.
  await using auth = await Auth.open({ stateDir, config: section });
  const listen = { ...listenSettings(section), ...(port === undefined ? {} : { port }) };
  const page = call.flags.has("no-page") ? undefined : await pageFolder((text) => call.out.note(text));
  const log = openLog(stateDir);
  const options = configOptions(call);
  const version = packageVersion();
  const hosts = auth.settings.hosts;
  const onProblem = ({ message }: ColloquyError): void => log.error({ problem: message }, "failed");
  await using gateway = await openGateway({ ...listen, agents, auth, hosts, page, version, log, onProblem });
  const watch = await watchConfig(
    options,
    ({ value }) => {
      auth.configure(objectIn(value.gateway) ?? {}).then(
        () => log.info({}, "config changed: who may sign in is in effect, the rest with the next start"),
        (error: Error) => log.error({ problem: error.message }, "config refused: the last good one stays"),
      );
    },
    (error) => log.error({ problem: error.message }, "config refused: the last good one stays"),
  );
  try {
    const { url } = gateway;
    const signIn = auth.signInLink(url);
    showResult(call, {
      json: { url, signIn, pid: process.pid, store: store.path },
      lines: [`Colloquy is at ${safeLine(url)}. Sign in (once, within 10 minutes): ${safeLine(signIn)}`],
    });
    if (opensBrowser) openBrowser(signIn, (text) => warn(call, text));
    if (!interrupt.signal.aborted) await once(interrupt.signal, "abort");
  } finally {
    watch.close();
    interrupt.end();
  }
  return { json: null };
}
