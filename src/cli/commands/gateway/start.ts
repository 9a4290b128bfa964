import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { warn } from "../auth/access.ts";
import { openBrowser } from "./browser.ts";
import { runGateway } from "./run-gateway.ts";
import { runningLink } from "./running-link.ts";

/** Opens the gateway that runs already, unless another port or store is asked for. */
export async function run(call: Call): Promise<Result> {
  const opensBrowser = !call.flags.has("no-open") && !call.json;
  const isAnother = call.values.has("port") || call.values.has("store");
  const running = isAnother ? undefined : await runningLink(call);
  if (running === undefined) return runGateway(call, { opensBrowser });
  const { url, signIn } = running;
  if (opensBrowser) openBrowser(signIn, (text) => warn(call, text));
  return {
    json: { ...running },
    lines: [
      `Colloquy already runs at ${safeLine(url)}. Sign in (once, within 10 minutes): ${safeLine(signIn)}`,
    ],
  };
}
