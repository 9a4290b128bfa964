import { unavailable } from "../../../errors.ts";
import { newSignInLink } from "../../../gateway/auth/records/links.ts";
import { readRunning } from "../../../gateway/auth/records/running.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { nextCommand } from "../../invocation.ts";
import { withRecords } from "../token/with-records.ts";
import { answers } from "./answers.ts";

export async function run(call: Call): Promise<Result> {
  const url = await withRecords(call, ({ records }) => readRunning(records)?.url);
  if (url === undefined || !(await answers(url))) {
    throw unavailable(`No gateway is running. Start one: ${nextCommand("start", call.values)}`);
  }
  const signIn = await withRecords(call, (keeper) => newSignInLink(keeper, url));
  return { json: { url, signIn }, lines: [`Sign in (once, within 10 minutes): ${safeLine(signIn)}`] };
}
