import { unavailable } from "../../../errors.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { nextCommand } from "../../invocation.ts";
import { runningLink } from "./running-link.ts";

export async function run(call: Call): Promise<Result> {
  const running = await runningLink(call);
  if (running === undefined) {
    throw unavailable(`No gateway is running. Start one: ${nextCommand("start", call.values)}`);
  }
  const { url, signIn } = running;
  return { json: { url, signIn }, lines: [`Sign in (once, within 10 minutes): ${safeLine(signIn)}`] };
}
