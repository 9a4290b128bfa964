/** A model without a server that says what a test wrote down, for tests of the loop alone. */
import type { ChatModel, ModelEvent, ModelRequest, StopReason } from "../../../src/agent/model/chat-model.ts";
import type { Block } from "../../../src/message/types.ts";
import type { JsonObject } from "../../../src/util/json.ts";

/** Texts are streamed, calls end the step, an error is thrown, and a function is awaited. */
export type Piece =
  | string
  | { readonly call: string; readonly input?: JsonObject; readonly id?: string }
  | Error
  | ((signal: AbortSignal | undefined) => Promise<unknown>);

export interface ScriptedModel extends ChatModel {
  readonly requests: ModelRequest[];
}

export function scriptedModel(
  steps: readonly (readonly Piece[])[] | ((request: ModelRequest, index: number) => readonly Piece[]),
  contextWindow = 100_000,
): ScriptedModel {
  const requests: ModelRequest[] = [];
  async function* stream(
    request: ModelRequest,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<ModelEvent, void, undefined> {
    const index = requests.push(request) - 1;
    const pieces = typeof steps === "function" ? steps(request, index) : (steps[index] ?? []);
    const content: Block[] = [];
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece;
      if (typeof piece === "function") await piece(signal);
      else if (typeof piece === "string") {
        content.push({ type: "text", text: piece });
        yield { type: "text", text: piece };
      } else {
        const id = piece.id ?? `call-${index}-${content.length}`;
        content.push({ type: "tool_use", id, name: piece.call, input: piece.input ?? {} });
      }
    }
    const stopReason: StopReason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end";
    const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 1, cost: 0.5 };
    yield { type: "end", content: joined(content), stopReason, usage, model: "test/scripted" };
  }
  return { name: "test/scripted", contextWindow, requests, stream };
}

/** Pieces of one text are one block. */
function joined(content: readonly Block[]): Block[] {
  const blocks: Block[] = [];
  for (const block of content) {
    const last = blocks.at(-1);
    if (block.type === "text" && last?.type === "text") {
      blocks[blocks.length - 1] = { type: "text", text: `${last.text}${block.text}` };
    } else blocks.push(block);
  }
  return blocks;
}
