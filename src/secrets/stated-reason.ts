/** Why a server refused a request, in its words. */
import { parseJson } from "../util/json.ts";
import { safeLine } from "../util/visible-text.ts";
import { maskSecretsIn } from "./mask.ts";
import { redactSecrets } from "./redact-secrets.ts";

const CHARS_MAX = 300;

/** The reason in the body of an answer, short and without the token; `""` if there is none. */
export function statedReason(body: string, token: string | undefined): string {
  const parsed = parseJson(body) as { error?: { message?: unknown } | string } | null | undefined;
  const error = parsed?.error;
  const message = typeof error === "string" ? error : error?.message;
  if (typeof message !== "string") return "";
  // Some providers repeat the request, with whatever was in it. Before it is cut: half a secret is not recognised.
  return redactSecrets(maskSecretsIn(safeLine(message), [token])).text.slice(0, CHARS_MAX);
}
