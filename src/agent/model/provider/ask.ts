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
  let whole: Parts | undefined;
  try {
    const model = await loadModel(target, modelFetch(target, key, limits));
    const { stream } = await model.doStream({ ...callOptions(request, target), abortSignal });
    const reader = stream.getReader();
    const { charsMax } = limits;
    for await (const event of answerEvents(partsOf(reader), { target, charsMax, key: key.value })) {
      if (event.type === "end") whole = reader;
      yield event;
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw streamError(target, error, key.value);
  } finally {
    // A reader that leaves early ends the request.
    if (whole === undefined) stop.abort();
    else void letEnd(whole, stop);
  }
}

type Parts = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

async function* partsOf(reader: Parts): AsyncGenerator<LanguageModelV4StreamPart> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Of the few bytes after an answer. */
const END_MS = 1000;

/** The connection can be used again once the answer has been read to its end. The caller does not wait for it. */
async function letEnd(reader: Parts, stop: AbortController): Promise<void> {
  const timer = setTimeout(() => stop.abort(), END_MS).unref();
  try {
    for await (const _ of partsOf(reader));
  } catch {
    // The answer was complete.
  } finally {
    clearTimeout(timer);
  }
}
