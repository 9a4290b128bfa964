/** What is known of the channels: whose ids differ by case, and who is addressed by phone number. */

/**
 * `lower`: the platform does not tell `A` from `a`. `keep`: it does, or it is
 * not known. `slack`: names are lower-cased, ids are in capitals.
 */
export type CaseRule = "lower" | "keep" | "slack";

interface ChannelRule {
  readonly letters: CaseRule;
  /** People are addressed by phone number, and a direct conversation has no `dm` in its key. */
  readonly phone?: true;
  /** A number without a plus sign is a phone number too, not an id. */
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

/** An id as it stands in a key. */
export function spell(id: string, letters: CaseRule): string {
  if (letters === "keep") return id;
  return letters === "slack" ? spellSlack(id) : lower(id);
}

/** Lower case that stays as it is when it is applied again. */
export function lower(text: string): string {
  return text.toLowerCase().normalize("NFC");
}

/** Unmistakable in any case: Slack's ids have a zero in the second place. */
const SLACK_ID = /^[tcgduwe]0[a-z0-9]{6,14}$/i;
/** In capitals and with a digit: an id, such as those in tests and on old workspaces. */
const SLACK_CAPITALS = /^[TCGDUWE][A-Z0-9]*[0-9][A-Z0-9]*$/;

function spellSlack(id: string): string {
  const name = withoutHash(id);
  if (SLACK_ID.test(name)) return name.toUpperCase();
  return SLACK_CAPITALS.test(name) ? name : lower(name);
}

/** The name of a room without the sign in front of it. */
export function withoutHash(name: string): string {
  return name.replace(/^(?:#\s*)+(?=\S)/, "");
}

/** Whether a Slack id is that of a person. */
export function isSlackUser(id: string): boolean {
  return /^[UW][A-Z0-9]*[0-9]/.test(spellSlack(id));
}
