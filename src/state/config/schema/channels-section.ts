/** The channels through which people talk to agents. Other keys are kept for OpenClaw, which shares the section. */
import { choice, either, type Field, flag, KEPT, list, object, secret, text, whole } from "./field.ts";

/** A longer one, such as those of Discord, loses digits as a number and would be that of another user. */
const ID_MAX = 999_999_999_999_999;

const ids = (description: string): Field =>
  list(description, either("An id", text("A number as a string, or *"), whole("An id", -ID_MAX, ID_MAX)));

/** The same for a channel and for one of its accounts. */
const settings = (): Readonly<Record<string, Field>> => ({
  enabled: flag("Whether it is used; unless false, it is"),
  token: secret("The token of the bot; prefer a variable"),
  botToken: secret("The same, as OpenClaw calls it for Telegram"),
  allowFrom: ids("Ids of users who may write to it; * is everybody. Without any, nobody may"),
  allowRooms: ids("Ids of rooms or servers in which everybody may write; * is every room"),
  requireMention: flag("Answer in rooms only messages that mention the agent", { default: true }),
  lookup: choice(
    "Where the agent may look things up. By default, all for direct messages of the only user in allowFrom, session elsewhere",
    ["all", "session"],
  ),
  apiRoot: text("The address of the platform, for a server of your own"),
});

export const channels: Field = object(
  "Channels through which users talk to agents",
  {},
  object(
    "A channel",
    {
      ...settings(),
      appToken: secret("A second token, of Slack. Not used yet"),
      accounts: object("Accounts by name", {}, object("An account", settings(), KEPT)),
    },
    KEPT,
  ),
);
