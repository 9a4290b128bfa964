import { unavailable } from "../../errors.ts";
import type { ChatModel, ModelEvent, ModelRequest } from "../model/chat-model.ts";
import { untilAborted } from "./until-aborted.ts";

/** How long a model may be silent. */
export const STALL_MS = 300_000;

/** The events of a model, unless it is silent for too long. A model that ignores its signal is left behind. */
export async function* lively(
  model: ChatModel,
  request: ModelRequest,
  stop: AbortSignal,
  stallMs: number,
): AsyncGenerator<ModelEvent, void, undefined> {
  const limit = new AbortController();
  const stalled = unavailable(`${model.name} sent nothing for ${stallMs / 1000} s. Ask again`);
  const timer = setTimeout(() => limit.abort(stalled), stallMs);
  const signal = AbortSignal.any([stop, limit.signal]);
  const events = model.stream(request, { signal })[Symbol.asyncIterator]();
  let isLeft = false;
  try {
    for (;;) {
      const { done, value } = await untilAborted(events.next(), signal);
      if (done) return;
      timer.refresh();
      yield value;
    }
  } catch (error) {
    isLeft = signal.aborted;
    // The model may report the abort in its own words.
    throw limit.signal.aborted ? stalled : error;
  } finally {
    clearTimeout(timer);
    const closing = events.return?.()?.catch(() => {});
    if (!isLeft) await closing;
  }
}
