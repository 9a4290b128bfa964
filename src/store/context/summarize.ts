import { checkSummary } from "../../context/index.ts";
import { asColloquyError, ColloquyError, invalid, unavailable } from "../../errors.ts";
import type { Message } from "../../message/types.ts";

/** The material for a summary. */
export interface SummaryRequest {
  readonly messages: readonly Message[];
  /** The summary of everything before these messages, to be merged into the new one. */
  readonly previousSummary: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Writes a summary, usually by asking a model. */
export type Summarize = (request: SummaryRequest) => Promise<string> | string;

/** A summary. Fails with `SERVICE_UNAVAILABLE` whatever the function throws; nothing has changed then. */
export async function runSummarize(summarize: Summarize, request: SummaryRequest): Promise<string> {
  if (typeof summarize !== "function") throw invalid("summarize must be a function", "summarize");
  try {
    return checkSummary(await summarize(request));
  } catch (error) {
    if (error instanceof ColloquyError && error.code === "SERVICE_UNAVAILABLE") throw error;
    const { message } = asColloquyError(error, "The summariser failed");
    throw unavailable(`${message}. Nothing was changed`, { cause: error });
  }
}
