/** The error contract over HTTP: `{ error: { code, message, field } }` with the status that fits. */
import { asColloquyError, ColloquyError, type ErrorCode, type ErrorOptions } from "../../errors.ts";
import { redactSecrets } from "../../secrets/redact-secrets.ts";
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

/** A failure for which HTTP has a closer status than that of its code. */
export class HttpError extends ColloquyError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    options: ErrorOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(code, message, options);
    this.status = status;
    this.headers = options.headers ?? {};
  }
}

export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

export function httpError(error: unknown): FailedAnswer {
  const known = asColloquyError(error, "The gateway failed");
  const headers = known instanceof HttpError ? known.headers : {};
  return {
    status: known instanceof HttpError ? known.status : STATUS[known.code],
    headers: { ...HEADERS[known.code], ...retryAfter(known), ...headers },
    body: { error: known.code === "INTERNAL_ERROR" ? UNEXPECTED : shown(known) },
  };
}

/** Errors quote what was sent, which may have been a secret in the wrong place. They are also written to logs. */
function shown(error: ColloquyError): ErrorBody["error"] {
  const { code, message, field } = error.toJSON();
  return {
    code,
    message: redactSecrets(message).text,
    field: field === null ? null : redactSecrets(field).text,
  };
}

const HEADERS: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  UNAUTHORIZED: { "www-authenticate": "Bearer" },
};

function retryAfter({ details }: ColloquyError): Readonly<Record<string, string>> {
  const seconds = details?.retryAfter;
  return typeof seconds === "number" ? { "retry-after": String(seconds) } : {};
}

/** What went wrong inside is for the log of the gateway, not for its clients. */
const UNEXPECTED: ErrorBody["error"] = {
  code: "INTERNAL_ERROR",
  message: "The gateway failed; its log says why",
  field: null,
};
