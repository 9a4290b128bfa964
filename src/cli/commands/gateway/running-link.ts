import { newSignInLink } from "../../../gateway/auth/records/links.ts";
import { readRunning } from "../../../gateway/auth/records/running.ts";
import type { Call } from "../../command.ts";
import { withRecords } from "../token/with-records.ts";
import { answers } from "./answers.ts";

export interface RunningLink {
  readonly url: string;
  readonly pid: number;
  /** Signs in once. */
  readonly signIn: string;
}

/** The gateway of this state folder, if it answers, and a new link to it. */
export async function runningLink(call: Call): Promise<RunningLink | undefined> {
  const running = await withRecords(call, ({ records }) => readRunning(records));
  if (running === undefined || !(await answers(running.url))) return undefined;
  const { url, pid } = running;
  return { url, pid, signIn: await withRecords(call, (keeper) => newSignInLink(keeper, url)) };
}
