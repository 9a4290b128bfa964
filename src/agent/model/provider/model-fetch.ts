/** A request to a model, with its key, and with refusals as typed errors. */
import { type GuardedFetch, guardedFetch } from "../../../util/guarded-fetch.ts";
import { refusalError } from "../failure/refusal.ts";
import type { Key } from "../keys.ts";
import type { Api, Target } from "../target.ts";

export interface Limits {
  /** Until an answer begins. */
  readonly connectMs: number;
  /** Between two parts of an answer. */
  readonly silenceMs: number;
  /** Of the text, the thinking and the tool calls of one answer together. */
  readonly charsMax: number;
}

/** Models with a thousand pages to read, and models on this machine that are loaded first, take their time. */
export const DEFAULT_LIMITS: Limits = { connectMs: 120_000, silenceMs: 120_000, charsMax: 8 * 1024 * 1024 };

/** Every token travels in an event of a few hundred bytes. */
const BYTES_FOR_EACH_CHAR = 64;
const REFUSAL_BYTES_MAX = 64 * 1024;
const ANTHROPIC_OAUTH = "oauth-2025-04-20";

/** A `fetch` for the SDK. The SDK never sees the key, so that none of its errors can repeat it. */
export function modelFetch(target: Target, key: Key, limits: Limits): GuardedFetch {
  const ask = guardedFetch({
    baseUrl: target.baseUrl,
    timeoutMs: limits.connectMs,
    silenceMs: limits.silenceMs,
    bytesMax: limits.charsMax * BYTES_FOR_EACH_CHAR,
    headers: async () => keyHeaders(target.api, key),
  });
  return async (url, init = {}) => {
    const response = await ask(url, { ...init, headers: withoutKeys(init.headers) });
    if (response.ok) return response;
    const body = await beginningOf(response);
    const { status, headers } = response;
    throw refusalError(target, { status, body, headers }, key.value);
  };
}

/** The SDK has put a placeholder there. */
function withoutKeys(given: RequestInit["headers"]): Headers {
  const headers = new Headers(given);
  for (const name of ["authorization", "x-api-key", "x-goog-api-key"]) headers.delete(name);
  return headers;
}

function keyHeaders(api: Api, { kind, value }: Key): Record<string, string> {
  if (value === undefined) return {};
  if (kind !== "api-key") {
    const bearer = { authorization: `Bearer ${value}` };
    return api === "anthropic-messages" ? { ...bearer, "anthropic-beta": ANTHROPIC_OAUTH } : bearer;
  }
  if (api === "anthropic-messages") return { "x-api-key": value };
  return api === "google-generative-ai" ? { "x-goog-api-key": value } : { authorization: `Bearer ${value}` };
}

/** An error is short. Whatever else a server sends is not worth waiting for. */
async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > REFUSAL_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
