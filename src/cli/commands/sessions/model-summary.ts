/** A compaction whose summary a model writes. */
import { isOffline } from "../../../agent/index.ts";
import { summarizeWith } from "../../../agent/loop/summarize.ts";
import type { Entry } from "../../../message/types.ts";
import type { CompactOptions } from "../../../store/context/compaction.ts";
import type { Conversation } from "../../../store/conversation.ts";
import type { Store } from "../../../store/store.ts";
import type { Call } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { PROGRAM } from "../../invocation.ts";
import { stopOnInterrupt } from "../../terminal/interrupt.ts";
import { openAgents } from "../chat/open-agents.ts";

/** Asks the model that answers in the session. */
export async function compactWithModel(
  call: Call,
  store: Store,
  conversation: Conversation,
  keep: Pick<CompactOptions, "keepMessages" | "keepTokens">,
): Promise<Entry | undefined> {
  await using agents = await openAgents(call, store);
  const setup = await agents.at({ channel: "cli" });
  const { signal, end } = stopOnInterrupt();
  try {
    const key = (await conversation.info()).key ?? "";
    const name = setup.modelName(key, call.values.get("model"));
    if (isOffline(name)) {
      const advice = `Add a key with ${PROGRAM} auth add anthropic, or write it yourself with --summary`;
      throw new UsageError(`There is no model that could write the summary. ${advice}`, "summary");
    }
    const summarize = summarizeWith(await setup.model(name, key));
    return await conversation.compact({ summarize, ...keep, signal });
  } finally {
    end();
  }
}
