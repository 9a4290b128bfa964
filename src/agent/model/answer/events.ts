/** The parts that the SDK streams, as events of a model. */
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { ColloquyError } from "../../../errors.ts";
import { bytesText } from "../../../util/bytes-text.ts";
import type { ModelEvent, StopReason } from "../chat-model.ts";
import { brokenOff, streamError } from "../failure/stream-failure.ts";
import type { Target } from "../target.ts";
import { AnswerBlocks } from "./blocks.ts";
import { usageOf } from "./usage.ts";

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  "tool-calls": "tool_use",
  length: "max_tokens",
  "content-filter": "refusal",
};

export interface EventOptions {
  readonly target: Target;
  readonly charsMax: number;
  /** The key of the request, which no error repeats. */
  readonly key: string | undefined;
}

export type AnswerEvent = Exclude<ModelEvent, { type: "failure" }>;

export async function* answerEvents(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  { target, charsMax, key }: EventOptions,
): AsyncGenerator<AnswerEvent> {
  const blocks = new AnswerBlocks(target.provider);
  let chars = 0;
  for await (const part of parts) {
    if ("delta" in part) {
      chars += part.delta.length;
      if (chars > charsMax) throw tooLong(target, charsMax);
    }
    switch (part.type) {
      case "text-start":
        blocks.beginText(part);
        break;
      case "text-delta":
        blocks.text(part);
        if (part.delta !== "") yield { type: "text", text: part.delta };
        break;
      case "reasoning-start":
        blocks.beginThinking(part);
        break;
      case "reasoning-delta":
        blocks.thinking(part);
        if (part.delta !== "") yield { type: "thinking", text: part.delta };
        break;
      case "text-end":
      case "reasoning-end":
        blocks.end(part);
        break;
      case "tool-call":
        blocks.call(part);
        break;
      case "error":
        throw streamError(target, part.error, key);
      case "finish": {
        const { content } = blocks;
        const stopReason = stopReasonOf(
          part.finishReason,
          content.some(({ type }) => type === "tool_use"),
          target,
        );
        const usage = usageOf(part.usage, target.spec.cost);
        yield { type: "end", content, stopReason, usage, model: target.name };
        return;
      }
    }
  }
  throw brokenOff(target);
}

/** Some servers say that they have stopped although they have called a tool. */
function stopReasonOf(reason: LanguageModelV4FinishReason, calls: boolean, target: Target): StopReason {
  const { unified } = reason;
  if (unified === "interrupted" || unified === "error") throw brokenOff(target);
  if (unified === "stop" && calls) return "tool_use";
  return STOP_REASONS[unified] ?? "other";
}

function tooLong({ provider, name }: Target, charsMax: number): ColloquyError {
  const message = `${provider} answered with more than ${bytesText(charsMax)}. The answer was cut off`;
  return new ColloquyError("SERVICE_UNAVAILABLE", message, { details: { kind: "too-large", model: name } });
}
