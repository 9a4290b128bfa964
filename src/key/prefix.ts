import { checkString } from "../util/checked-arguments.ts";
import { lower, ruleOf } from "./channels.ts";
import { isPhoneLike } from "./phone.ts";
import { kindOf } from "./shapes.ts";

/**
 * The beginning of session keys, in the form that current keys have. It is not
 * a key itself, so only its letters, the kind and a phone number are converted.
 */
export function resolveKeyPrefix(prefix: string): string {
  checkString(prefix, "prefix");
  const text = prefix.normalize("NFC").trimStart();
  const colon = text.indexOf(":");
  if (colon < 0) return lower(text);
  const channel = lower(text.slice(0, colon).trim());
  const rest = text.slice(colon + 1).trimStart();
  return `${channel}:${channel === "agent" ? agentPrefix(rest) : placePrefix(channel, rest)}`;
}

function agentPrefix(rest: string): string {
  const colon = rest.indexOf(":");
  return colon < 0
    ? lower(rest)
    : `${lower(rest.slice(0, colon).trim())}:${resolveKeyPrefix(rest.slice(colon + 1))}`;
}

function placePrefix(channel: string, rest: string): string {
  const { letters, phone } = ruleOf(channel);
  const colon = rest.indexOf(":");
  const kind = colon < 0 ? undefined : kindOf(channel, lower(rest.slice(0, colon).trim()));
  const id = kind === undefined ? rest : rest.slice(colon + 1).trimStart();
  const number = phone ? numberPrefix(id) : id;
  // The key of a phone number has no `dm`.
  const place = kind === undefined || (phone && kind === "dm") ? number : `${kind}:${number}`;
  return letters === "lower" ? lower(place) : place;
}

function numberPrefix(id: string): string {
  const text = id.normalize("NFKC");
  if (!isPhoneLike(text) || !/^(?:\+|00)/.test(text)) return id;
  return `+${text.replace(/[^\p{Nd}]/gu, "").replace(/^(?:00)+(?=.)/, "")}`;
}
