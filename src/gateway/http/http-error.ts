/** The error contract over HTTP: `{ error: { code, message, field } }` with the status that fits. */
import { asColloquyError, type ErrorCode } from "../../errors.ts";
import type { ErrorBody } from "../wire/rest.ts";

const STATUS: Readonly<Record<ErrorCode, number>> = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  RATE_LIMITED: 429,
  NOT_SUPPORTED: 501,
  NETWORK_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_ERROR: 500,
};

export function httpError(error: unknown): { readonly status: number; readonly body: ErrorBody } {
  const known = asColloquyError(error, "The gateway failed");
  return { status: STATUS[known.code], body: { error: known.toJSON() } };
}
