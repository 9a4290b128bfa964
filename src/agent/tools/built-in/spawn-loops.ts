import type { Conversation } from "../../../store/conversation.ts";
import { checkObject } from "../../../util/checked-arguments.ts";
import { defined } from "../../../util/json.ts";
import { AgentLoop } from "../../loop/agent-loop.ts";
import type { AgentOptions } from "../../loop/options.ts";
import type { Spawn, SpawnRequest } from "./start-agent.ts";

/** What a session index keeps of a sub-agent. */
export interface SpawnedSession {
  readonly agent: string;
  readonly key: string;
  readonly conversation: Conversation;
  readonly spawnedBy?: string | undefined;
  readonly spawnDepth: number;
}

export interface SpawnLoopsOptions {
  /** The options of the loop of a sub-agent: store, model, tools, system prompt. */
  readonly loopOf: (
    request: SpawnRequest,
  ) => Omit<AgentOptions, "key" | "depth"> | Promise<Omit<AgentOptions, "key" | "depth">>;
  /** Called before a sub-agent runs, and after it, also if it failed. */
  readonly onSession?: ((session: SpawnedSession) => void | Promise<void>) | undefined;
}

/** The one run of the conversation of a sub-agent, so that a repeated call continues it or returns its answer. */
const OPERATION = "task";

/** Sub-agents as loops, each with a conversation in the store. */
export function spawnLoops(options: SpawnLoopsOptions): Spawn {
  checkObject(options, "options");
  const { loopOf, onSession } = options;
  return async (request) => {
    const { task, agent, key, spawnedBy, depth, signal } = request;
    await using loop = new AgentLoop({ ...(await loopOf(request)), key, depth });
    const conversation = await loop.conversation();
    const session = { agent, key, conversation, spawnedBy, spawnDepth: depth };
    await onSession?.(session);
    const provenance = defined({ spawnedBy, spawnDepth: depth });
    const input = { role: "user", content: task, provenance } as const;
    try {
      const { reply, stopReason } = await loop.run(input, { signal, operationId: OPERATION });
      if (stopReason === "stopped") signal.throwIfAborted();
      return { reply, key };
    } finally {
      await onSession?.(session);
    }
  };
}
