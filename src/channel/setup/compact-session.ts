/** A compaction whose summary the model of a session writes. */
import { isOffline } from "../../agent/index.ts";
import { summarizeWith } from "../../agent/loop/summarize.ts";
import type { CompactionEntry } from "../../message/types.ts";
import type { CompactOptions } from "../../store/context/compaction.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { AgentSetup } from "./agent-setup.ts";

export interface CompactSessionOptions
  extends Pick<CompactOptions, "keepMessages" | "keepTokens" | "signal"> {
  /** Instead of the model that answers in the session. */
  readonly asked?: string | undefined;
  /** Called instead if there is no model. */
  readonly withoutModel: () => Promise<CompactionEntry | undefined>;
}

export async function compactSession(
  setup: AgentSetup,
  conversation: Conversation,
  { asked, withoutModel, ...options }: CompactSessionOptions,
): Promise<CompactionEntry | undefined> {
  const key = (await conversation.info()).key ?? "";
  const name = setup.modelName(key, asked);
  if (isOffline(name)) return withoutModel();
  return conversation.compact({ summarize: summarizeWith(await setup.model(name, key)), ...options });
}
