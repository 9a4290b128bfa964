/** What a provider answers instead of a stream, as a typed error. */
import { ColloquyError, type ErrorCode } from "../../../errors.ts";
import { statedReason } from "../../../secrets/stated-reason.ts";
import { parseRetryAfter } from "../../../util/retry-after.ts";
import type { Target } from "../target.ts";

/** The codes of answers with these statuses. Others are failures inside the server, which may pass. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: "VALIDATION_ERROR",
  401: "UNAUTHORIZED",
  402: "FORBIDDEN",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  413: "VALIDATION_ERROR",
  422: "VALIDATION_ERROR",
  429: "RATE_LIMITED",
};

/** A cause that a status alone does not tell. */
type RefusalKind = "context-length" | "billing";

const CONTEXT_LENGTH =
  /context_length_exceeded|request_too_large|(?:prompt|input|request|conversation) is too (?:long|large)|context (?:length|window|size)|too many (?:input )?tokens|token count .*exceeds/i;
const BILLING = /insufficient_quota|credit balance|payment required|out of credits/i;
/** Google says so with the status of a wrong request. */
const WRONG_KEY = /API_KEY_INVALID|API key not valid/i;

export interface Refusal {
  readonly status: number;
  /** The whole answer. */
  readonly body: string;
  readonly headers?: Headers;
}

export function refusalError(
  target: Target,
  refusal: Refusal,
  key: string | undefined,
  nowMs: number = Date.now(),
): ColloquyError {
  const { status, body } = refusal;
  const kind = kindOf(status, body);
  const code = codeOf(status, body, kind);
  const reason = statedReason(body, key);
  const retryAfterMs = pauseOf(refusal, nowMs);
  const message = `${sentence(target, status, code, kind)}${reason === "" ? "" : `: ${reason}`}`;
  return new ColloquyError(code, message, {
    details: {
      status,
      model: target.name,
      ...(kind === undefined ? {} : { kind }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  });
}

function codeOf(status: number, body: string, kind: RefusalKind | undefined): ErrorCode {
  if (kind === "billing") return "FORBIDDEN";
  if (status === 400 && WRONG_KEY.test(body)) return "UNAUTHORIZED";
  return CODES[status] ?? "SERVICE_UNAVAILABLE";
}

/** How long the provider asks to be left alone: in a header, or in the words of Google. */
function pauseOf({ headers, body }: Refusal, nowMs: number): number | undefined {
  const ms = Number(headers?.get("retry-after-ms") || Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const [, seconds = null] = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body) ?? [];
  return parseRetryAfter(headers?.get("retry-after") ?? seconds, nowMs);
}

function kindOf(status: number, body: string): RefusalKind | undefined {
  if (status === 402 || ([400, 403, 429].includes(status) && BILLING.test(body))) return "billing";
  return [400, 413, 422].includes(status) && (status === 413 || CONTEXT_LENGTH.test(body))
    ? "context-length"
    : undefined;
}

function sentence(
  { provider, name }: Target,
  status: number,
  code: ErrorCode,
  kind: RefusalKind | undefined,
): string {
  const said = `(status ${status})`;
  if (kind === "billing") return `The account at ${provider} has no credit left ${said}`;
  if (kind === "context-length") return `The conversation is too long for ${name} ${said}`;
  switch (code) {
    case "UNAUTHORIZED":
      return `${provider} does not accept the key. Replace it with colloquy auth add ${provider} --replace ${said}`;
    case "FORBIDDEN":
      return `The key for ${provider} may not use ${name} ${said}`;
    case "NOT_FOUND":
      return `${provider} does not have the model ${name}, or its address is wrong ${said}`;
    case "RATE_LIMITED":
      return `${provider} has had too many requests ${said}`;
    case "VALIDATION_ERROR":
      return `${name} refused the request ${said}`;
    default:
      return `${provider} cannot answer now ${said}`;
  }
}
