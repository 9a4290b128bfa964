import { type ColloquyError, invalid } from "../errors.ts";
import { isUuid } from "../util/uuid.ts";
import { lower } from "./channels.ts";
import { splitMark } from "./copies.ts";
import { isInternational, SETTLED } from "./phone.ts";
import { type ShapeOptions, shapeRest } from "./shapes.ts";
import { checkBytes, cleanText } from "./text.ts";

/** The part of the configuration that keys depend on. */
export interface KeyConfig {
  readonly session?: {
    /** Two letters, such as `DE`: where phone numbers without a country code are at home. */
    readonly defaultCountry?: string;
  };
}

export interface ResolveKeyParams {
  readonly sessionKey: string;
  readonly config?: KeyConfig | undefined;
  /** The channel, where it is known from elsewhere: for keys that do not name it. */
  readonly channel?: string | undefined;
}

/** Agents within agents; a chain that is longer is no key that anybody made. */
const AGENTS_MAX = 8;

/**
 * A session key as it is written today, whatever its age.
 *
 * Contract: a key that was resolved stays as it is. What cannot be a key
 * (nothing behind the channel, control characters, more than 512 bytes) is a
 * `VALIDATION_ERROR`.
 */
export function resolveSessionKey(params: ResolveKeyParams): string {
  const { sessionKey } = params;
  return typeof sessionKey === "string" && CURRENT.test(sessionKey) ? sessionKey : resolveAnew(params);
}

const NUMBER = SETTLED.source.slice(1, -1);

/** The commonest shapes as they are written today. A large index is read in half the time with it. */
export const CURRENT: RegExp = new RegExp(
  `^(?:agent:[a-z0-9_-]{1,64}:)?(?:${[
    "discord:(?:dm|channel|thread):[0-9]{1,64}",
    `(?:telegram|whatsapp|signal|sms|imessage):${NUMBER}`,
    "telegram:[1-9][0-9]{0,14}",
    "slack:T0[A-Z0-9]{6,14}:[CGD]0[A-Z0-9]{6,14}",
    "web:[A-Za-z0-9_-]{1,128}",
    "cli:(?!local$)[a-z0-9_-]{1,128}",
  ].join("|")})$`,
);

/** The same without the short cut, which a test compares with it. */
export function resolveAnew(params: ResolveKeyParams): string {
  const [plain, mark] = splitMark(cleanText(params.sessionKey, "sessionKey"));
  const options = { country: countryOf(params.config) };
  const key = resolvePlain(plain, lower(params.channel?.trim() ?? ""), options, 0);
  return checkBytes(key + mark, "sessionKey");
}

/** The country that the configuration names, if it is one. */
function countryOf(config: KeyConfig | undefined): string | undefined {
  const country = config?.session?.defaultCountry;
  return typeof country === "string" && /^[A-Za-z]{2}$/.test(country) ? country.toUpperCase() : undefined;
}

function resolvePlain(text: string, hint: string, options: ShapeOptions, depth: number): string {
  const colon = text.indexOf(":");
  if (colon < 0) return resolveBare(text, hint, options, depth);
  const channel = lower(text.slice(0, colon).trim());
  const rest = text.slice(colon + 1).trim();
  if (channel === "") throw noKey(text);
  if (channel === "agent") return resolveAgent(rest, hint, options, depth);
  const shaped = rest === "" && channel !== "cli" ? "" : shapeRest(channel, rest, options);
  if (shaped === "") throw noKey(text);
  return `${channel}:${shaped}`;
}

function resolveAgent(text: string, hint: string, options: ShapeOptions, depth: number): string {
  const colon = text.indexOf(":");
  const agent = lower((colon < 0 ? text : text.slice(0, colon)).trim());
  const rest = colon < 0 ? "main" : text.slice(colon + 1).trim();
  if (agent === "" || rest === "" || depth >= AGENTS_MAX) throw noKey(`agent:${text}`);
  const main = lower(rest) === "main";
  return `agent:${agent}:${main ? "main" : resolvePlain(rest, hint, options, depth + 1)}`;
}

/** A key without a channel: older than channels, or an id by itself. */
function resolveBare(id: string, hint: string, options: ShapeOptions, depth: number): string {
  if (id === "") throw noKey(id);
  if (lower(id) === "main") return "agent:main:main";
  return resolvePlain(`${channelOf(id, hint)}:${id}`, "", options, depth);
}

function channelOf(id: string, hint: string): string {
  if (hint !== "" && hint !== "agent" && !hint.includes(":")) return hint;
  if (isInternational(id)) return "telegram";
  // Discord's ids are times with some bits behind them, and have been this long since 2015.
  if (/^\d{17,20}$/.test(id)) return "discord";
  if (/^-?\d{5,16}$/.test(id)) return "telegram";
  return isUuid(id) ? "web" : "cli";
}

function noKey(text: string): ColloquyError {
  return invalid(`Invalid session key "${text}": it has the form <channel>:<rest>`, "sessionKey");
}
