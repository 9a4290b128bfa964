import { type ColloquyError, invalid } from "../errors.ts";
import { checkObject } from "../util/checked-arguments.ts";
import { isUuid } from "../util/uuid.ts";
import { lower } from "./channels.ts";
import { splitMark } from "./copies.ts";
import { isInternational, SETTLED } from "./phone.ts";
import { type ShapeOptions, shapeRest } from "./shapes.ts";
import { checkKeyBytes, cleanText } from "./text.ts";

/** The configuration that keys depend on. */
export interface KeyConfig {
  readonly session?: {
    /** Country of phone numbers without a country code, in two letters, such as `DE`. */
    readonly defaultCountry?: string;
  };
}

export interface ResolveKeyParams {
  readonly sessionKey: string;
  readonly config?: KeyConfig | undefined;
  /** The channel of a key that does not name it, where it is known from elsewhere. */
  readonly channel?: string | undefined;
}

/** Agents may be nested, but no real key has a longer chain. */
const AGENTS_MAX = 8;

/**
 * Convert a session key of any version to its current form.
 *
 * Contract: a resolved key is not changed by resolving it again. Fails with
 * `VALIDATION_ERROR` for a string that cannot be a key: nothing after the
 * channel, control characters, more than 512 bytes.
 */
export function resolveSessionKey(params: ResolveKeyParams): string {
  checkObject(params, "params");
  const { sessionKey } = params;
  return typeof sessionKey === "string" && CURRENT.test(sessionKey) ? sessionKey : resolveAnew(params);
}

const NUMBER = SETTLED.source.slice(1, -1);

/** The most common keys in current form. It makes reading a large index twice as fast. */
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

/** The same without the shortcut; a test compares the two. */
export function resolveAnew(params: ResolveKeyParams): string {
  const [plain, mark] = splitMark(cleanText(params.sessionKey, "sessionKey"));
  const options = { country: countryOf(params.config) };
  const key = resolvePlain(
    plain,
    lower(params.channel === undefined ? "" : cleanText(params.channel, "channel")),
    options,
    0,
  );
  return checkKeyBytes(key + mark, "sessionKey");
}

/** The configured country, if it is valid. */
function countryOf(config: KeyConfig | undefined): string | undefined {
  const country = config?.session?.defaultCountry;
  return typeof country === "string" && /^[A-Za-z]{2}$/.test(country) ? country.toUpperCase() : undefined;
}

function resolvePlain(text: string, hint: string, options: ShapeOptions, depth: number): string {
  const colon = text.indexOf(":");
  if (colon < 0) return resolveBare(text, hint, options, depth);
  const channel = lower(text.slice(0, colon).trim());
  const rest = text.slice(colon + 1).trim();
  if (channel === "") throw notAKey(text);
  if (channel === "agent") return resolveAgent(rest, hint, options, depth);
  const shaped = rest === "" && channel !== "cli" ? "" : shapeRest(channel, rest, options);
  if (shaped === "") throw notAKey(text);
  return `${channel}:${shaped}`;
}

function resolveAgent(text: string, hint: string, options: ShapeOptions, depth: number): string {
  const colon = text.indexOf(":");
  const agent = lower((colon < 0 ? text : text.slice(0, colon)).trim());
  const rest = colon < 0 ? "main" : text.slice(colon + 1).trim();
  if (agent === "" || rest === "" || depth >= AGENTS_MAX) throw notAKey(`agent:${text}`);
  const main = lower(rest) === "main";
  return `agent:${agent}:${main ? "main" : resolvePlain(rest, hint, options, depth + 1)}`;
}

/** A key without a channel: from before there were channels, or a bare id. */
function resolveBare(id: string, hint: string, options: ShapeOptions, depth: number): string {
  if (id === "") throw notAKey(id);
  if (lower(id) === "main") return "agent:main:main";
  return resolvePlain(`${channelOf(id, hint)}:${id}`, "", options, depth);
}

function channelOf(id: string, hint: string): string {
  if (hint !== "" && hint !== "agent" && !hint.includes(":")) return hint;
  if (isInternational(id)) return "telegram";
  // Discord ids start with a timestamp, and have had this length since 2015.
  if (/^\d{17,20}$/.test(id)) return "discord";
  if (/^-?\d{5,16}$/.test(id)) return "telegram";
  return isUuid(id) ? "web" : "cli";
}

function notAKey(text: string): ColloquyError {
  return invalid(`Invalid session key "${text}": expected <channel>:<rest>`, "sessionKey");
}
