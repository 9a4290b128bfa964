/** A scripted talk with tools, the same in every process: what a model says follows from what it is sent. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChatModel, ModelEvent, ModelRequest } from "../../src/agent/index.ts";
import type { Block, Message } from "../../src/message/types.ts";

/** How many steps call tools before the answer, and how many tools each of them calls. */
const KINDS = ["plain", "one tool", "two tools", "two steps"] as const;
type Kind = (typeof KINDS)[number];
const CALLS: Readonly<Record<Kind, readonly (readonly ("once" | "again")[])[]>> = {
  plain: [],
  "one tool": [["once"]],
  "two tools": [["once", "again"]],
  "two steps": [["again", "once"], ["once"]],
};

export function kindOf(number: number): Kind {
  return KINDS[number % KINDS.length] as Kind;
}

/** Tool calls of a question, by step. */
export function callsOf(question: string): readonly (readonly ("once" | "again")[])[] {
  const kind = /\((.*)\)$/.exec(question)?.[1];
  return CALLS[kind as Kind] ?? [];
}

export function answerTo(question: string): string {
  return `The whole answer to ${question}, in quite a few pieces of text, so that it can be cut.`;
}

export function scriptOf(onAsked: (question: string) => void): ChatModel {
  async function* stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent, void, undefined> {
    const { question, step } = placeIn(messages);
    onAsked(question);
    const tools = callsOf(question)[step] ?? [];
    const text = tools.length > 0 ? `Step ${step} of ${question}. ` : answerTo(question);
    for (const piece of text.match(/.{1,12}/gs) ?? []) {
      await sleep(1);
      yield { type: "text", text: piece };
    }
    const calls = tools.map((name, index): Block => {
      const label = `${question} / ${step}.${index}`;
      return { type: "tool_use", id: `call ${label}`, name, input: { label } };
    });
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const content = [{ type: "text", text }, ...calls];
    const stopReason = calls.length > 0 ? "tool_use" : "end";
    yield { type: "end", content, stopReason, usage, model: "test/talk" };
  }
  return { name: "test/talk", contextWindow: 200_000, stream };
}

/** The last question, and how many of its steps are complete. */
function placeIn(messages: readonly Message[]): { question: string; step: number } {
  let step = 0;
  for (const { role, content } of messages.toReversed()) {
    if (role === "user" && typeof content === "string" && content.startsWith("question ")) {
      return { question: content, step };
    }
    if (role === "assistant" && JSON.stringify(content).includes('"tool_use"')) step++;
  }
  throw new Error("The model was asked without a question");
}
