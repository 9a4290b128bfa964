/** One request to one model with one key. */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type AnswerEvent, answerEvents } from "../answer/events.ts";
import type { ModelRequest } from "../chat-model.ts";
import { streamError } from "../failure/stream-failure.ts";
import type { Key } from "../keys.ts";
import { callOptions } from "../request/call-options.ts";
import type { Target } from "../target.ts";
import { loadModel } from "./load.ts";
import { type Limits, modelFetch } from "./model-fetch.ts";

export interface AskOptions {
  readonly target: Target;
  readonly key: Key;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
}

export async function* ask(request: ModelRequest, options: AskOptions): AsyncGenerator<AnswerEvent> {
  const { target, key, limits, signal } = options;
  const stop = new AbortController();
  const abortSignal = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  try {
    const model = await loadModel(target, modelFetch(target, key, limits));
    const { stream } = await model.doStream({ ...callOptions(request, target), abortSignal });
    const { charsMax } = limits;
    yield* answerEvents(partsOf(stream), { target, charsMax, key: key.value });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw streamError(target, error, key.value);
  } finally {
    // A reader that leaves early also ends the request.
    stop.abort();
  }
}

async function* partsOf(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
