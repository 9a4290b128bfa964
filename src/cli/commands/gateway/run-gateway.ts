/** Runs the gateway until it is stopped. */
import { once } from "node:events";
import type { ColloquyError } from "../../../errors.ts";
import { Auth } from "../../../gateway/auth/auth.ts";
import { authSettings } from "../../../gateway/auth/settings.ts";
import { openGateway } from "../../../gateway/gateway.ts";
import { listenSettings, PORT_MAX } from "../../../gateway/listen-settings.ts";
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
import { credentialsOf, warn } from "../auth/access.ts";
import { AGENT_SECTIONS, openAgents } from "../chat/open-agents.ts";
import { openBrowser } from "./browser.ts";
import { pageFolder } from "./page-folder.ts";

/** Besides those of the agents. */
const SECTIONS = ["gateway", "channels", "streaming", "session", "sessions"];

export async function runGateway(
  call: Call,
  { opensBrowser }: { readonly opensBrowser: boolean },
): Promise<Result> {
  const given = call.values.get("port");
  const port = given === undefined ? undefined : integerOf(given, "port", PORT_MAX, 0);
  const interrupt = stopOnInterrupt();
  await using store = await openToImport(call);
  await using agents = await openAgents(call, store, SECTIONS);
  const { config, stateDir } = agents.installation;
  const section = objectIn(config.gateway) ?? {};
  // Refuses unsafe settings before anything is written.
  authSettings(section);
  // Closed last: the others may have something to say until their end.
  await using log = openLog(stateDir);
  const onProblem = ({ message }: ColloquyError): void => log.error({ problem: message }, "failed");
  await using auth = await Auth.open({ stateDir, config: section, thread: true, onProblem });
  const listen = { ...listenSettings(section), ...(port === undefined ? {} : { port }) };
  const page = call.flags.has("no-page") ? undefined : await pageFolder((text) => call.out.note(text));
  const sections = [...AGENT_SECTIONS, ...SECTIONS];
  const version = packageVersion();
  await using gateway = await openGateway({
    ...listen,
    agents,
    auth,
    page,
    version,
    log,
    onProblem,
    thread: true,
  });
  const watch = await watchConfig(
    { ...configOptions(call), sections },
    ({ value, env }) => void gateway.use({ config: value, env, credentials: credentialsOf(call, env) }),
    (problem) => void gateway.refuse(problem),
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
