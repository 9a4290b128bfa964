/** One step of a model, streamed into the turn. */
import { ColloquyError, unavailable } from "../../errors.ts";
import { isToolUse } from "../../message/blocks.ts";
import type { Message, ToolUseBlock } from "../../message/types.ts";
import type { Turn } from "../../store/turns/turn.ts";
import type { JsonObject } from "../../util/json.ts";
import type { ChatModel, ModelEvent, ModelRequest } from "../model/chat-model.ts";
import type { AgentEvent } from "./events.ts";
import { lively } from "./lively.ts";
import { storedUsage } from "./usage.ts";

export interface Step {
  /** To be stored; `undefined` when the model said nothing. */
  readonly message: Message | undefined;
  readonly calls: readonly ToolUseBlock[];
}

/** Models and profiles that failed before another one answered. */
export type Failures = JsonObject[];

type End = Extract<ModelEvent, { type: "end" }>;

export async function modelStep(
  model: ChatModel,
  request: ModelRequest,
  turn: Turn,
  report: (event: AgentEvent) => void,
  failures: Failures,
  { signal, stallMs }: { readonly signal: AbortSignal; readonly stallMs: number },
): Promise<Step> {
  for await (const event of lively(model, request, signal, stallMs)) {
    if (event.type === "end") return stepOf(event, failures);
    if (event.type === "text") {
      // Not awaited: text that cannot be journalled is still written with the message.
      void turn.delta(event.text);
      report(event);
    } else if (event.type === "thinking") report(event);
    else {
      failures.push(failureOf(event));
      report(event);
    }
  }
  throw unavailable(`The answer of ${model.name} ended before it was complete. Ask again`);
}

function stepOf({ content, usage, model, stopReason, profileId }: End, failures: Failures): Step {
  const isEmpty = content.every(({ type, text }) => type === "text" && String(text ?? "").trim() === "");
  const provenance = {
    ...(profileId === undefined ? {} : { profileId }),
    ...(failures.length === 0 ? {} : { failures: failures.splice(0) }),
  };
  const message: Message = {
    role: "assistant",
    content,
    model,
    usage: storedUsage(usage),
    stopReason,
    ...(Object.keys(provenance).length === 0 ? {} : { provenance }),
  };
  return isEmpty ? { message: undefined, calls: [] } : { message, calls: content.filter(isToolUse) };
}

function failureOf({ model, profileId, error }: Extract<ModelEvent, { type: "failure" }>): JsonObject {
  return {
    model,
    ...(profileId === undefined ? {} : { profileId }),
    ...(error instanceof ColloquyError ? { code: error.code } : {}),
    message: error.message,
  };
}
