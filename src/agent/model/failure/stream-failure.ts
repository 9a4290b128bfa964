/** What goes wrong while a provider answers, as a typed error. Errors of the SDK hold the request: they stay behind. */
import { ColloquyError } from "../../../errors.ts";
import { numberIn, objectIn, textIn } from "../../../util/values.ts";
import type { Target } from "../target.ts";
import { refusalError } from "./refusal.ts";

/** The status that a failure inside of a stream would have had before it. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  context_length_exceeded: 400,
  insufficient_quota: 402,
  overloaded_error: 529,
};

/** How the SDK says that an answer ended too early. */
const ENDED = /ended without a finish reason/;

export function streamError(target: Target, error: unknown, key: string | undefined): ColloquyError {
  if (error instanceof ColloquyError) return error;
  const wrapped = ownErrorIn(error);
  if (wrapped !== undefined) return wrapped;
  if (error instanceof Error && ENDED.test(error.message)) return brokenOff(target);
  const { message, status } = statedIn(error);
  if (message !== undefined || status !== undefined) {
    return refusalError(target, { status: status ?? 500, body: JSON.stringify({ error: { message } }) }, key);
  }
  return malformed(target);
}

/** Half an answer, without the words that end one. */
export function brokenOff({ provider, name }: Target): ColloquyError {
  return new ColloquyError("NETWORK_ERROR", `${provider} broke off in the middle of its answer`, {
    details: { model: name },
  });
}

function malformed({ provider, name }: Target): ColloquyError {
  return new ColloquyError("SERVICE_UNAVAILABLE", `${provider} sent an answer that cannot be read`, {
    details: { kind: "malformed", model: name },
  });
}

function ownErrorIn(error: unknown): ColloquyError | undefined {
  const cause = (error as { cause?: unknown } | null | undefined)?.cause;
  return cause instanceof ColloquyError ? cause : undefined;
}

/** Errors of the SDK about the content of an answer are not what the provider stated. */
const UNREADABLE =
  /^AI_(?:JSONParse|TypeValidation|InvalidResponseData|NoContentGenerated|EmptyResponseBody)/;

function statedIn(error: unknown): { message?: string | undefined; status?: number | undefined } {
  if (typeof error === "string") return { message: error };
  const { name, message, type, code, statusCode, data } = (error ?? {}) as Record<string, unknown>;
  if (typeof name === "string" && UNREADABLE.test(name)) return {};
  const inside = objectIn(objectIn(data)?.error) ?? objectIn(data);
  const kind = [type, code, inside?.type, inside?.code]
    .map(textIn)
    .find((one) => one && one in STATUS_OF_TYPE);
  const status = kind === undefined ? numberIn(statusCode) : STATUS_OF_TYPE[kind];
  const isStated = status !== undefined || inside !== undefined || name === undefined;
  return isStated ? { message: textIn(inside?.message) ?? textIn(message), status } : {};
}
