import { ColloquyError, type ErrorCode } from "../../errors.ts";

/** What errors of discord.js mean. They never have the token; the cause is left out all the same, with its request. */
export function discordFailure(error: unknown): ColloquyError {
  if (error instanceof ColloquyError) return error;
  const { code, status, message } = error as { code?: unknown; status?: number; message?: string };
  const known = MEANINGS.get(code as number | string);
  if (known !== undefined) return new ColloquyError(...known);
  if (/disallowed intent/i.test(message ?? "")) return new ColloquyError(...INTENTS);
  if (status === 401) return new ColloquyError(...TOKEN);
  const reason =
    status === undefined ? "cannot be reached" : `answered with ${status}: ${message ?? "no reason"}`;
  return new ColloquyError(status === 429 ? "RATE_LIMITED" : "NETWORK_ERROR", `Discord ${reason}`);
}

type Meaning = readonly [ErrorCode, string];

const TOKEN: Meaning = [
  "UNAUTHORIZED",
  "Discord refused the token. Check channels.discord in the config, or create a new one in the developer portal",
];
const INTENTS: Meaning = [
  "FORBIDDEN",
  "Discord refused to pass on messages. Turn on the Message Content Intent of the bot in the developer portal",
];

/** By Discord's own numbers, and by the names of discord.js. */
const MEANINGS: ReadonlyMap<number | string, Meaning> = new Map<number | string, Meaning>([
  ["TokenInvalid", TOKEN],
  [4004, TOKEN],
  [4014, INTENTS],
  [10003, ["NOT_FOUND", "Discord no longer has the channel"]],
  [10008, ["NOT_FOUND", "Discord no longer has the message"]],
  [10013, ["NOT_FOUND", "Discord does not know the user"]],
  [50001, ["FORBIDDEN", "The bot has no access to the channel"]],
  [50007, ["FORBIDDEN", "The user does not accept direct messages of the bot"]],
  [50013, ["FORBIDDEN", "The bot may not write in the channel"]],
]);
