/** Keeps what a session used in the session index, which other programs read. */
import { type RunResult, sessionUsage } from "../../agent/index.ts";
import { patchSessionEntry, type SessionEntry } from "../../state/session-index/index.ts";
import type { Store } from "../../store/store.ts";

/** Add what a run used. Only for a session that the index does not know is the conversation counted. */
export async function recordRun(
  agentDir: string,
  store: Store,
  channel: string,
  result: RunResult,
): Promise<void> {
  const { key, conversation: sessionId } = result;
  if (key === null) return;
  const common = {
    sessionId,
    managedBy: "colloquy",
    channel,
    chatType: "direct",
    lastChannel: channel,
  } as const;
  let isKnown = true;
  const add = (current: SessionEntry | undefined): Partial<SessionEntry> | undefined => {
    isKnown = current?.sessionId === sessionId && current.totalTokens !== undefined;
    return isKnown ? { ...common, ...sum(current ?? {}, result) } : common;
  };
  await patchSessionEntry({ agentDir, sessionKey: key, patch: add });
  if (isKnown) return;
  const conversation = await store.get(sessionId);
  if (conversation === undefined) return;
  const patch = { ...common, ...(await sessionUsage(conversation)) };
  await patchSessionEntry({ agentDir, sessionKey: key, patch });
}

function sum(current: Partial<SessionEntry>, { usage, model }: RunResult): Partial<SessionEntry> {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const slash = model.indexOf("/");
  return {
    inputTokens: (current.inputTokens ?? 0) + inputTokens,
    outputTokens: (current.outputTokens ?? 0) + outputTokens,
    cacheRead: (current.cacheRead ?? 0) + cacheReadTokens,
    cacheWrite: (current.cacheWrite ?? 0) + cacheWriteTokens,
    totalTokens: (current.totalTokens ?? 0) + inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
    modelProvider: model.slice(0, slash),
    model: model.slice(slash + 1),
  };
}
