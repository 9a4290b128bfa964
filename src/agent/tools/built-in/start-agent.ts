/**
 * Sub-agents: a tool that starts a run with a conversation of its own and returns its answer.
 *
 * Depth, number and time are limited, and a run that is stopped stops those that it started. The key of the
 * conversation follows from the call, so that a call that is repeated after a kill continues the same conversation.
 */
import { ColloquyError } from "../../../errors.ts";
import { parseSessionKey } from "../../../key/index.ts";
import { uuidFromHash } from "../../../util/uuid.ts";
import { SPAWN_LIMITS, type SpawnLimits } from "../../agents/agent-definition.ts";
import { untilAborted } from "../../loop/until-aborted.ts";
import { defineTool } from "../define-tool.ts";
import type { Tool, ToolCall } from "../tool.ts";

export interface SpawnRequest {
  readonly task: string;
  /** The agent to start. */
  readonly agent: string;
  /** The session key of its conversation. */
  readonly key: string;
  /** The session key of the run that starts it. */
  readonly spawnedBy?: string | undefined;
  /** 1 for a sub-agent of a run that a user started. */
  readonly depth: number;
  /** Aborted when the parent is stopped or the time is over. */
  readonly signal: AbortSignal;
}

/** Runs a sub-agent to its end. */
export type Spawn = (request: SpawnRequest) => Promise<{ readonly reply: string; readonly key: string }>;

export interface StartAgentOptions {
  readonly spawn: Spawn;
  /** The agent that has the tool. Default: that of the session key, or `main`. */
  readonly agent?: string | undefined;
  /** Other agents that it can start. Default: none, because another agent may be allowed to do more. */
  readonly others?: readonly string[] | undefined;
  readonly limits?: Partial<SpawnLimits> | undefined;
}

/** So that the limit of the tool, which has a better message, comes before that of the loop. */
const MARGIN_MS = 1000;

export function startAgent({ spawn, agent, others = [], limits }: StartAgentOptions): Tool {
  const { depthMax, perRunMax, atOnceMax, timeoutMs } = { ...SPAWN_LIMITS, ...limits };
  const runs = new WeakMap<object, { started: number; running: number }>();
  const withoutRun = {};

  const start = async (task: string, wanted: string | undefined, call: ToolCall): Promise<string> => {
    const own = agent ?? agentIn(call.key);
    const name = wanted ?? own;
    if (name !== own && !others.includes(name)) throw refused(`this agent cannot start the agent ${name}`);
    if (call.depth >= depthMax) throw refused(`sub-agents can be nested ${depthMax} deep`);
    const run = call.run ?? withoutRun;
    const count = runs.get(run) ?? { started: call.callsBefore ?? 0, running: 0 };
    runs.set(run, count);
    if (count.started >= perRunMax) throw refused(`a run can start ${perRunMax} of them`);
    if (count.running >= atOnceMax) throw refused(`${atOnceMax} are running. Wait until one has finished`);
    count.started++;
    count.running++;
    try {
      return await answerOf(spawn, task, name, call, timeoutMs);
    } finally {
      count.running--;
    }
  };

  const choice = others.length === 0 ? {} : { enum: [...others] };
  return defineTool({
    name: "start_agent",
    description:
      "Start a sub-agent on a task and wait for its answer. It knows nothing of this conversation: say everything " +
      "that it needs, and what to report. For work that would fill this conversation with detail",
    inputSchema: {
      type: "object",
      properties: {
        task: { type: "string", minLength: 1, maxLength: 50_000 },
        agent: { type: "string", description: "Another agent. Default: the same as you", ...choice },
      },
      required: ["task"],
      additionalProperties: false,
    },
    mayRepeat: true,
    timeoutMs: timeoutMs + MARGIN_MS,
    run: ({ task, agent: wanted }, call) => start(task, wanted, call),
  });
}

async function answerOf(
  spawn: Spawn,
  task: string,
  agent: string,
  call: ToolCall,
  timeoutMs: number,
): Promise<string> {
  call.signal.throwIfAborted();
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([call.signal, limit]);
  const key = childKey(agent, task, call);
  const running = spawn({ task, agent, key, spawnedBy: call.key, depth: call.depth + 1, signal });
  try {
    const { reply } = await untilAborted(running, signal);
    return reply === "" ? "The sub-agent finished without an answer" : reply;
  } catch (error) {
    if (!limit.aborted || call.signal.aborted) throw error;
    const message = `The sub-agent did not finish within ${timeoutMs / 1000} s. Its conversation is ${key}`;
    throw new ColloquyError("SERVICE_UNAVAILABLE", message);
  }
}

/** With the task, because not every provider has call ids that are unique. */
function childKey(agent: string, task: string, { key = "", id }: ToolCall): string {
  return `agent:${agent}:subagent:${uuidFromHash(JSON.stringify([key, id, task]))}`;
}

function agentIn(key: string | undefined): string {
  return (key === undefined ? undefined : parseSessionKey(key).agent) ?? "main";
}

function refused(why: string): ColloquyError {
  return new ColloquyError("FORBIDDEN", `The sub-agent was not started: ${why}`);
}
