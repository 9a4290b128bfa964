/** What is known about channels: whose ids are case-sensitive, and who is addressed by phone number. */

/**
 * `lower`: ids are not case-sensitive. `keep`: they are, or it is not known.
 * `slack`: names are in lower case, ids in upper case.
 */
export type CaseRule = "lower" | "keep" | "slack";

interface ChannelRule {
  readonly letters: CaseRule;
  /** Users are addressed by phone number, and the key of a direct conversation has no `dm`. */
  readonly phone?: true;
  /** A number without a plus sign is a phone number as well, not an id. */
  readonly digitsArePhone?: true;
}

const RULES: ReadonlyMap<string, ChannelRule> = new Map([
  ["cli", { letters: "lower" }],
  ["discord", { letters: "lower" }],
  ["telegram", { letters: "lower", phone: true }],
  ["whatsapp", { letters: "lower", phone: true, digitsArePhone: true }],
  ["signal", { letters: "lower", phone: true }],
  ["sms", { letters: "lower", phone: true }],
  ["imessage", { letters: "lower", phone: true }],
  ["slack", { letters: "slack" }],
  ["email", { letters: "lower" }],
  ["irc", { letters: "lower" }],
  ["twitch", { letters: "lower" }],
  ["web", { letters: "keep" }],
]);

const UNKNOWN: ChannelRule = { letters: "keep" };

export function ruleOf(channel: string): ChannelRule {
  return RULES.get(channel) ?? UNKNOWN;
}

/** An id as it is written in a key. */
export function spell(id: string, letters: CaseRule): string {
  if (letters === "keep") return id;
  return letters === "slack" ? spellSlack(id) : lower(id);
}

/** Lower case that is stable when applied again. */
export function lower(text: string): string {
  return text.toLowerCase().normalize("NFC");
}

/** An id in any case: the second character of Slack ids is a zero. */
const SLACK_ID = /^[tcgduwe]0[a-z0-9]{6,14}$/i;
/** Upper case with a digit: an id, as in tests and old workspaces. */
const SLACK_CAPITALS = /^[TCGDUWE][A-Z0-9]*[0-9][A-Z0-9]*$/;

function spellSlack(id: string): string {
  const name = withoutHash(id);
  if (SLACK_ID.test(name)) return name.toUpperCase();
  return SLACK_CAPITALS.test(name) ? name : lower(name);
}

/** The name of a room without the leading `#`. */
export function withoutHash(name: string): string {
  return name.replace(/^(?:#\s*)+(?=\S)/, "");
}

/** Whether a Slack id is a user's. */
export function isSlackUser(id: string): boolean {
  return /^[UW][A-Z0-9]*[0-9]/.test(spellSlack(id));
}
