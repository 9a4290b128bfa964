/** Slack's keys: `[team:]room`, `[team:][room:]thread:id`, `[team:]dm:user`. */
import { isSlackUser, lower, spell, withoutHash } from "./channels.ts";
import { sealWord } from "./seal.ts";

/** Words with a meaning as the second to last part, and their current form. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["direct", "dm"],
  ["dm", "dm"],
  ["topic", "thread"],
  ["thread", "thread"],
  ["channel", "channel"],
]);

export function shapeSlack(parts: readonly string[]): string {
  const [first = ""] = parts;
  if (parts.length > 1)
    return parts.map((part, index) => shapePart(part, index === parts.length - 2)).join(":");
  const id = spell(first, "slack");
  if (withoutHash(first) !== first) return `channel:${id}`;
  return isSlackUser(id) ? `dm:${id}` : id;
}

/** Elsewhere a room may have any name, and so may one with a `#`. */
function shapePart(part: string, hasMeaning: boolean): string {
  const id = spell(part, "slack");
  if (!hasMeaning) return id;
  return withoutHash(part) === part ? (WORDS.get(lower(part)) ?? id) : sealSlackTeam(id);
}

/** Keep a team that is named like a kind of conversation from being read as one. */
export function sealSlackTeam(team: string): string {
  const word = spell(team, "slack");
  return WORDS.has(word) ? sealWord(word) : team;
}
