/** Why a server refused a request, in its words. */
import { parseJson } from "../util/json.ts";
import { safeLine } from "../util/visible-text.ts";
import { maskSecretsIn } from "./mask.ts";

const CHARS_MAX = 300;

/** The reason in the body of an answer, short and without the token; `""` if there is none. */
export function statedReason(body: string, token: string | undefined): string {
  const parsed = parseJson(body) as { error?: { message?: unknown } | string } | null | undefined;
  const error = parsed?.error;
  const message = typeof error === "string" ? error : error?.message;
  if (typeof message !== "string") return "";
  return maskSecretsIn(safeLine(message), [token]).slice(0, CHARS_MAX);
}
