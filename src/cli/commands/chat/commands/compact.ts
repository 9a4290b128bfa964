import { isOffline } from "../../../../agent/index.ts";
import { summarizeWith } from "../../../../agent/loop/summarize.ts";
import { isPlainObject } from "../../../../util/json.ts";
import type { Call } from "../../../command.ts";
import { counted } from "../../../terminal/count-text.ts";
import { stopOnInterrupt } from "../../../terminal/interrupt.ts";
import type { ChatAgent } from "../chat-agent.ts";

/** More is kept when a summary is made because the context is full. */
const KEEP_MESSAGES = 4;

export async function compactNow(_: Call, agent: ChatAgent): Promise<readonly string[]> {
  const conversation = await agent.existing();
  const { signal, end } = stopOnInterrupt();
  try {
    const model = await agent.model();
    if (isOffline(model.name)) return ["The offline model cannot summarise. Choose another one with /model."];
    const entry = await conversation?.compact({
      summarize: summarizeWith(model),
      keepMessages: KEEP_MESSAGES,
      signal,
    });
    if (entry === undefined) return ["There is too little to summarise."];
    const count = isPlainObject(entry.data) ? Number(entry.data.summarised) : 0;
    return [`A summary replaces the first ${counted(count, "message")}, which stay in the history.`];
  } finally {
    end();
  }
}
