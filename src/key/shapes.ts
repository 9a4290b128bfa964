/**
 * The current form of the part after the channel, for each channel, from any
 * form in which it was ever written.
 */
import { lower, ruleOf, spell } from "./channels.ts";
import { isInternational, isPhoneLike, toE164 } from "./phone.ts";
import { shapeSlack } from "./slack.ts";

const DIRECT: ReadonlySet<string> = new Set(["direct", "dm", "user"]);
const CHANNEL: ReadonlySet<string> = new Set(["channel", "group", "supergroup", "room"]);
const THREAD: ReadonlySet<string> = new Set(["thread", "topic"]);

export interface ShapeOptions {
  /** Country of numbers without a country code, in two letters. */
  readonly country?: string | undefined;
}

/** Returns `""` when nothing follows the kind. */
export function shapeRest(channel: string, rest: string, options: ShapeOptions): string {
  const parts = rest.split(":").map((part) => part.trim());
  if (channel === "cli") return shapeCli(rest);
  if (isEmpty(channel, parts)) return "";
  if (channel === "discord") return shapeDiscord(parts.map(lower));
  if (channel === "slack") return shapeSlack(parts);
  if (ruleOf(channel).phone) return shapePhone(channel, parts, options);
  return shapeOther(channel, parts);
}

/** The current word for a kind of conversation; `undefined` where the word has no such meaning. */
export function kindOf(channel: string, word: string): string | undefined {
  if (channel === "cli" || channel === "web" || channel === "slack") return undefined;
  if (word === "direct" || word === "dm") return "dm";
  if (channel !== "discord" && !ruleOf(channel).phone) return undefined;
  if (DIRECT.has(word)) return "dm";
  if (CHANNEL.has(word)) return "channel";
  return THREAD.has(word) ? "thread" : undefined;
}

/** In an unknown channel, an id may end with a colon. */
function isEmpty(channel: string, parts: readonly string[]): boolean {
  if (channel === "discord" || channel === "slack" || ruleOf(channel).phone) return parts.at(-1) === "";
  const [first = "", ...others] = parts;
  return (
    parts.every((part) => part === "") ||
    (isKind(lower(first)) && others.join(":") === "" && others.length > 0)
  );
}

function isKind(word: string): boolean {
  return DIRECT.has(word) || CHANNEL.has(word) || THREAD.has(word);
}

function shapeCli(rest: string): string {
  const name = lower(rest);
  return name === "" || name === "local" ? "default" : name;
}

function shapeDiscord(parts: readonly string[]): string {
  const [first = "", ...others] = /^guild./.test(parts[0] ?? "") ? parts.flatMap(detach) : parts;
  const last = others.at(-1) ?? first;
  const marked = others.length > 0 ? (others.at(-2) ?? first) : "";
  if (THREAD.has(marked)) return `thread:${bareId(last)}`;
  if (others.length === 0)
    return /^(?:channel\d+|<#\d+>)$/.test(first) ? `channel:${digits(first)}` : `dm:${bareId(first)}`;
  if (others.length === 1 && DIRECT.has(first)) return `dm:${bareId(last)}`;
  if (CHANNEL.has(marked)) return `channel:${bareId(last)}`;
  // A server and its channel: the channel's id is enough, because it is globally unique.
  if (others.length === 1 && /^\d+$/.test(first) && /^\d+$/.test(last)) return `channel:${last}`;
  return [first, ...others].join(":");
}

/** `guild123` as `guild`, `123`. */
function detach(part: string): readonly string[] {
  const found = /^(guild|channel|thread)[-_]?(.+)$/.exec(part);
  return found === null ? [part] : [found[1] as string, found[2] as string];
}

function digits(text: string): string {
  return text.replace(/\D/g, "");
}

/** The id in a mention such as `<@!42>` or `<#7>`. */
function bareId(id: string): string {
  return /^<(?:@[!&]?|#)(\d+)>$/.exec(id)?.[1] ?? id;
}

function shapePhone(channel: string, parts: readonly string[], options: ShapeOptions): string {
  const address = (id: string): string => shapeAddress(channel, id, options);
  const [first = "", second, third, ...more] = joinDevice(channel, dropWords(parts));
  if (second === undefined) return isChat(channel, first) ? `channel:${address(first)}` : address(first);
  const word = lower(first);
  if (word === "thread" && third !== undefined)
    return ["thread", address(second), third, ...more].map(lower).join(":");
  if (CHANNEL.has(word)) {
    if (third === undefined) return `channel:${address(second)}`;
    if (THREAD.has(lower(third)) && more.length === 1) return lower(`thread:${address(second)}:${more[0]}`);
  }
  if (THREAD.has(lower(second)) && third !== undefined && more.length === 0) {
    return lower(`thread:${address(first)}:${third}`);
  }
  return lower([first, second, ...(third === undefined ? [] : [third]), ...more].join(":"));
}

/** Without `dm` and `tel`, which add nothing to an address. */
function dropWords(parts: readonly string[]): readonly string[] {
  let start = 0;
  while (start < parts.length - 1 && isFiller(lower(parts[start] ?? ""))) start++;
  return parts.slice(start);
}

function isFiller(word: string): boolean {
  return DIRECT.has(word) || word === "tel" || word === "";
}

/** A WhatsApp id with a device, as in `4917612345678:12@s.whatsapp.net`, is the user's. */
function joinDevice(channel: string, parts: readonly string[]): readonly string[] {
  const [number = "", device = "", ...more] = parts;
  const host = /^\d+(@(?:s\.whatsapp\.net|c\.us|lid))$/i.exec(device)?.[1];
  const isDevice = ruleOf(channel).digitsArePhone && more.length === 0 && /^\d+$/.test(number);
  return isDevice && host !== undefined ? [number + host] : parts;
}

/** Whether an id without a kind is a group's. */
function isChat(channel: string, id: string): boolean {
  return channel === "telegram" ? /^-\d+$/.test(id) : /@g\.us$/i.test(id);
}

function shapeAddress(channel: string, id: string, { country }: ShapeOptions): string {
  const digitsArePhone = ruleOf(channel).digitsArePhone;
  const number = digitsArePhone ? (/^(\d+)@(?:s\.whatsapp\.net|c\.us)$/i.exec(id)?.[1] ?? id) : id;
  if (isInternational(number)) return toE164(number);
  if (digitsArePhone && /^\d{8,15}$/.test(number) && !number.startsWith("0")) return toE164(`+${number}`);
  // A national number: only its leading zero distinguishes it from an id.
  if (country !== undefined && number.startsWith("0") && isPhoneLike(number)) return toE164(number, country);
  return lower(id);
}

function shapeOther(channel: string, parts: readonly string[]): string {
  const { letters } = ruleOf(channel);
  const [first = "", ...others] = parts;
  const words = others.length > 0 && lower(first) === "direct" ? ["dm", ...others] : parts;
  return spell(words.join(":"), letters);
}
