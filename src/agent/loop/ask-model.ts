/** One step of a model, with as much of the conversation as its provider takes. */
import { ColloquyError } from "../../errors.ts";
import type { Turn } from "../../store/turns/turn.ts";
import { type Failures, modelStep, type Step } from "./model-step.ts";
import type { RunSetup } from "./run.ts";

/** A provider may count more tokens than we do, or have a smaller window than we know: then less is sent. */
export async function askModel(setup: RunSetup, turn: Turn, failures: Failures): Promise<Step> {
  const { model, requests, signal, stallMs, report } = setup;
  for (;;) {
    const request = await requests.next(await branchOf(turn), signal);
    try {
      return await modelStep(model, request, turn, report, failures, { signal, stallMs });
    } catch (error) {
      if (!isTooLong(error) || !requests.shorten()) throw error;
    }
  }
}

/** Not the checked-out branch, which may be another one by now. */
async function branchOf(turn: Turn): Promise<string> {
  const branch = await turn.branch();
  if (branch !== undefined) return branch;
  throw new ColloquyError("NOT_FOUND", "The branch of this answer was removed meanwhile. Ask again", {
    field: "branch",
  });
}

function isTooLong(error: unknown): boolean {
  return error instanceof ColloquyError && error.details?.kind === "context-length";
}
