import { ColloquyError, type ErrorCode } from "../../errors.ts";
import { isPlainObject } from "../../util/json.ts";

/**
 * What Telegram's errors mean. The cause is left out: errors of grammY have the URL of the request, and the URL has
 * the token.
 */
export function telegramFailure(error: unknown): ColloquyError {
  if (error instanceof ColloquyError) return error;
  const {
    error_code: status,
    description,
    parameters,
  } = error as {
    error_code?: number;
    description?: string;
    parameters?: unknown;
  };
  if (status === undefined) return new ColloquyError("NETWORK_ERROR", "Telegram cannot be reached");
  const retrySec = isPlainObject(parameters) ? Number(parameters.retry_after) : Number.NaN;
  const code = CODES[status] ?? (/chat not found/i.test(description ?? "") ? "NOT_FOUND" : "NETWORK_ERROR");
  const message =
    code === "UNAUTHORIZED"
      ? "Telegram refused the token. Check channels.telegram in the config"
      : `Telegram answered with ${status}: ${description ?? "no reason"}`;
  return new ColloquyError(code, message, {
    details: Number.isFinite(retrySec) ? { retryAfterMs: retrySec * 1000 } : {},
  });
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: "UNAUTHORIZED",
  // The bot was blocked, or removed from the group.
  403: "FORBIDDEN",
  404: "UNAUTHORIZED",
  // Another process polls with the same token.
  409: "CONFLICT",
  429: "RATE_LIMITED",
};
