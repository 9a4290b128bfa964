/** What users are told instead of an answer. The reason and what to do about it are for the owner, in the log. */
import { ColloquyError, type ErrorCode } from "../../errors.ts";

/** A model may end without a word; the user must not wait for ever. */
export const NO_ANSWER = "I have no answer to that.";

/** Another attempt may succeed. */
const PASSING: ReadonlySet<ErrorCode> = new Set(["RATE_LIMITED", "NETWORK_ERROR", "SERVICE_UNAVAILABLE"]);

export function noticeOf(error: unknown): string {
  return error instanceof ColloquyError && PASSING.has(error.code)
    ? "I cannot answer right now. Please try again later."
    : "I could not answer: something is wrong here. The owner of this agent can see what.";
}
