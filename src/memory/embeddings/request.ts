/** A request to an embedding server, with its token, and with its failures as typed errors. */
import { ColloquyError, type ErrorCode } from "../../errors.ts";
import { statedReason } from "../../secrets/stated-reason.ts";
import { type GuardedFetch, guardedFetch } from "../../util/guarded-fetch.ts";
import { parseRetryAfter } from "../../util/retry-after.ts";
import type { ChosenModel, EmbeddingSettings } from "./settings.ts";

const TIMEOUT_MS = 30_000;
/** 96 vectors of 8192 numbers of 20 digits need 16 MB. */
const BYTES_MAX = 32 * 1024 * 1024;

/** The codes of answers with these statuses. Others are failures inside the server, which may pass. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: "VALIDATION_ERROR",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  413: "VALIDATION_ERROR",
  422: "VALIDATION_ERROR",
  429: "RATE_LIMITED",
};

const HINTS: Partial<Readonly<Record<ErrorCode, string>>> = {
  UNAUTHORIZED: "Check the API token",
  FORBIDDEN: "Check what the API token may do",
  NOT_FOUND: "Check the model and the base URL",
};

/** A `fetch` for the SDK. The SDK never sees the token, so that none of its errors can repeat it. */
export function embeddingFetch(
  chosen: ChosenModel,
  settings: EmbeddingSettings,
  nowMs: () => number,
): GuardedFetch {
  let token: string | undefined;
  const ask = guardedFetch({
    baseUrl: chosen.baseUrl,
    socketPath: chosen.socketPath,
    timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
    bytesMax: BYTES_MAX,
    headers: async () => {
      token = await tokenOf(settings);
      return headersOf(chosen, token);
    },
  });
  return async (url, init) => {
    const response = await ask(url, init);
    if (response.ok) return response;
    throw refused(chosen, response, await response.text(), token, nowMs());
  };
}

async function tokenOf({ provider, apiToken }: EmbeddingSettings): Promise<string | undefined> {
  const token = typeof apiToken === "function" ? await apiToken() : apiToken;
  if (token) return token;
  if (provider !== "openai" && provider !== "gemini") return undefined;
  throw new ColloquyError("UNAUTHORIZED", `Embeddings of ${provider} need an API token`);
}

function headersOf({ provider }: ChosenModel, token: string | undefined): Record<string, string> {
  // The SDK has put a placeholder there.
  if (provider === "gemini") return { "x-goog-api-key": token ?? "" };
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

function refused(
  { provider, model }: ChosenModel,
  { status, headers }: Response,
  body: string,
  token: string | undefined,
  nowMs: number,
): ColloquyError {
  const code = CODES[status] ?? "SERVICE_UNAVAILABLE";
  const reason = statedReason(body, token);
  const said = reason === "" ? "" : `: ${reason}`;
  const hint = HINTS[code] === undefined ? "" : `. ${HINTS[code]}`;
  const retryAfterMs = parseRetryAfter(headers.get("retry-after"), nowMs);
  return new ColloquyError(
    code,
    `${provider} refused to embed with ${model} (status ${status}${said})${hint}`,
    {
      details: {
        status,
        isPassing: code === "SERVICE_UNAVAILABLE",
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
    },
  );
}
