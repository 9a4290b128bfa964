/** Runs a channel until it is stopped. */
import { once } from "node:events";
import { startChannel } from "../../../channel/setup/start-channel.ts";
import type { Call, Result } from "../../command.ts";
import { showResult } from "../../show-result.ts";
import { openToAppend } from "../../store/open-store.ts";
import { stopOnInterrupt } from "../../terminal/interrupt.ts";
import { warn } from "../auth/access.ts";
import { openAgents } from "../chat/open-agents.ts";

export async function runChannel(call: Call, name: string): Promise<Result> {
  await using store = await openToAppend(call);
  await using agents = await openAgents(call, store, ["channels", "streaming"]);
  const interrupt = stopOnInterrupt();
  try {
    const channel = await startChannel(agents, {
      name,
      account: call.values.get("account"),
      model: call.values.get("model"),
      retry: call.flags.has("retry"),
      onProblem: ({ message }) => warn(call, message),
    });
    showResult(call, {
      json: { channel: name, account: channel.accountId, pid: process.pid },
      lines: [`Connected to ${name}. Stop with Ctrl-C.`],
    });
    if (!interrupt.signal.aborted) await once(interrupt.signal, "abort");
    await channel.close();
  } finally {
    interrupt.end();
  }
  return { json: null };
}
