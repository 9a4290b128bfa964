import { ColloquyError } from "../../../errors.ts";
import { checkIterable, checkObject } from "../../../util/checked-arguments.ts";
import type { JsonObject } from "../../../util/json.ts";
import { numberIn, objectIn } from "../../../util/values.ts";
import { untilAborted } from "../../loop/until-aborted.ts";
import type { Tool, ToolCall, ToolOutput } from "../tool.ts";
import { type Approval, approvalFor, type ToolLimits } from "./approval.ts";

/** What a user is asked. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly input: JsonObject;
  readonly callId: string;
  /** The session key of the run. */
  readonly key?: string | undefined;
  /** How long the user has to answer. */
  readonly timeoutMs: number;
  /** Aborted when an answer no longer matters. */
  readonly signal: AbortSignal;
}

/** Asks a user. Only `true` is an approval. */
export type Approve = (request: ApprovalRequest) => Promise<boolean>;

export interface ApprovalOptions {
  /** The config, of which the sections `tools` and `approvals` count. */
  readonly config: JsonObject;
  readonly channel?: string | undefined;
  /** The limits of the agent. */
  readonly agent?: ToolLimits | undefined;
  /** How the channel asks its user. Without it, a tool that needs a question does not run. */
  readonly approve?: Approve | undefined;
  /** How long a user has to answer. Default: `approvals.timeoutSeconds` of the config, or 10 minutes. */
  readonly answerTimeoutMs?: number | undefined;
}

const ANSWER_TIMEOUT_SEC = 600;
/** The limit of a tool that has none, once it was approved. */
const RUN_TIMEOUT_MS = 2 * 60_000;

/** The tools that may run. A denied one is not even shown to the model; one that needs approval asks first. */
export function approvedTools(tools: Iterable<Tool>, options: ApprovalOptions): Tool[] {
  checkObject(options, "options");
  checkIterable(tools, "tools");
  const rule = ({ name }: Tool): Approval =>
    approvalFor(name, options.channel, options.config, options.agent);
  return [...tools].flatMap((tool) => {
    checkObject(tool, "tools");
    const approval = rule(tool);
    if (approval === "deny") return [];
    return approval === "allow" ? [tool] : [askedFirst(tool, options)];
  });
}

function askedFirst(tool: Tool, { approve, answerTimeoutMs, config }: ApprovalOptions): Tool {
  const configured = numberIn(objectIn(config.approvals)?.timeoutSeconds) ?? ANSWER_TIMEOUT_SEC;
  const answerMs = answerTimeoutMs ?? configured * 1000;
  const runTimeoutMs = tool.timeoutMs ?? RUN_TIMEOUT_MS;
  /** Inputs that were approved and are about to run. */
  const approved = new WeakSet<JsonObject>();
  return {
    ...tool,
    // The time of the user does not count as that of the tool.
    timeoutMs: answerMs + runTimeoutMs,
    async permit(input: JsonObject, call: ToolCall): Promise<void> {
      await tool.permit?.(input, call);
      await ask(tool.name, input, call, approve, answerMs);
      approved.add(input);
    },
    async run(input: JsonObject, call: ToolCall): Promise<ToolOutput> {
      // Each approval is for one run, and a caller that knows nothing of `permit` must not run without one.
      if (!approved.delete(input)) await ask(tool.name, input, call, approve, answerMs);
      const limit = AbortSignal.timeout(runTimeoutMs);
      return tool.run(input, { ...call, signal: AbortSignal.any([call.signal, limit]) });
    },
  };
}

/** Resolves if the user approves. Everything else, an error included, is a refusal. */
async function ask(
  tool: string,
  input: JsonObject,
  { id, key, signal: stopped }: ToolCall,
  approve: Approve | undefined,
  answerTimeoutMs: number,
): Promise<void> {
  if (approve === undefined) throw refused(tool, "it needs the approval of a user, who cannot be asked here");
  const limit = AbortSignal.timeout(answerTimeoutMs);
  const signal = AbortSignal.any([stopped, limit]);
  const request = {
    tool,
    input: structuredClone(input),
    callId: id,
    key,
    timeoutMs: answerTimeoutMs,
    signal,
  };
  const asked = Promise.resolve(approve(request)).catch(() => false);
  const answer = await untilAborted(asked, signal).catch(() => "none");
  if (stopped.aborted) throw stopped.reason;
  if (answer === "none") throw refused(tool, "it needs the approval of a user, who did not answer");
  if (answer !== true) throw refused(tool, "the user did not allow it");
}

function refused(tool: string, why: string): ColloquyError {
  return new ColloquyError("FORBIDDEN", `The tool ${tool} did not run: ${why}`);
}
