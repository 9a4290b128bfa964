/** One step of a model, with as much of the conversation as its provider takes. */
import { ColloquyError } from "../../errors.ts";
import type { Turn } from "../../store/turns/turn.ts";
import { type Failures, modelStep, type Step } from "./model-step.ts";
import type { RunSetup } from "./run.ts";

/** A provider may count more tokens than we do, or have a smaller window than we know: then less is sent. */
export async function askModel(setup: RunSetup, turn: Turn, failures: Failures): Promise<Step> {
  const { model, requests, signal, stallMs, report } = setup;
  for (;;) {
    const request = await requests.next(signal);
    try {
      return await modelStep(model, request, turn, report, failures, { signal, stallMs });
    } catch (error) {
      if (!isTooLong(error) || !requests.shorten()) throw error;
    }
  }
}

function isTooLong(error: unknown): boolean {
  return error instanceof ColloquyError && error.details?.kind === "context-length";
}
