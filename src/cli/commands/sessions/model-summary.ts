/** A compaction whose summary a model writes. */
import { compactSession } from "../../../channel/setup/compact-session.ts";
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
  const withoutModel = async (): Promise<never> => {
    const advice = `Add a key with ${PROGRAM} auth add anthropic, or write it yourself with --summary`;
    throw new UsageError(`There is no model that could write the summary. ${advice}`, "summary");
  };
  try {
    const asked = call.values.get("model");
    return await compactSession(setup, conversation, { asked, withoutModel, ...keep, signal });
  } finally {
    end();
  }
}
