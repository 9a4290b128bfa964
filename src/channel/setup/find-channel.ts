/** The channels that can be started by name: those that are built in, and those of extensions. */
import type { ChannelLike } from "../../agent/index.ts";
import { ColloquyError, invalid } from "../../errors.ts";
import type { Channel } from "../channel.ts";
import { discordChannel } from "../discord/discord-channel.ts";
import { telegramChannel } from "../telegram/telegram-channel.ts";
import type { Agents } from "./agents.ts";
import { type ChannelSettings, channelSettings, tokenOf } from "./channel-settings.ts";

type Make = (settings: ChannelSettings & { readonly token: string }) => Channel;

const BUILT_IN: Readonly<Record<string, Make>> = {
  discord: ({ token, accountId, apiRoot }) =>
    discordChannel({ token, accountId, apiRoot, ...(apiRoot !== undefined && { fileRoots: [apiRoot] }) }),
  telegram: telegramChannel,
};

/** Session keys begin with the name of the channel; these are taken. */
const RESERVED: ReadonlySet<string> = new Set(["cli", "web", "agent"]);
const NAME = /^[a-z][a-z0-9_-]{0,31}$/;

export interface FoundChannel {
  readonly channel: Channel;
  readonly settings: ChannelSettings;
  readonly isBuiltIn: boolean;
}

/** A channel, and what the config says of it. `NOT_FOUND` if there is none. */
export async function findChannel(agents: Agents, name: string, account?: string): Promise<FoundChannel> {
  const { config, env, credentials } = agents.installation;
  const make = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
  if (make !== undefined) {
    const settings = channelSettings({ channel: name, account, isBuiltIn: true }, config, env);
    const token = await tokenOf(settings, { channel: name, account }, credentials);
    return { channel: make({ ...settings, token }), settings, isBuiltIn: true };
  }
  const { channels } = await agents.shared.extensions();
  const channel = checkChannel(ofName(channels, name, account));
  const settings = channelSettings({ channel: name, account, isBuiltIn: false }, config, env);
  return { channel, settings, isBuiltIn: false };
}

/** Without an account, the one called `default`, or else the first. */
function ofName(channels: readonly ChannelLike[], name: string, account: string | undefined): ChannelLike {
  const named = channels.filter((channel) => channel.name === name);
  const ofAccount = named.find(
    (channel) => (channel as Partial<Channel>).accountId === (account ?? "default"),
  );
  const found = ofAccount ?? (account === undefined ? named[0] : undefined);
  if (found !== undefined) return found;
  if (named.length > 0)
    throw new ColloquyError("NOT_FOUND", `The channel ${name} has no account ${account}`, {
      field: "account",
    });
  const names = new Set([...Object.keys(BUILT_IN), ...channels.map((channel) => channel.name)]);
  const message = `There is no channel ${name}. There are ${[...names].join(", ")}; extensions can add others`;
  throw new ColloquyError("NOT_FOUND", message, { field: "name" });
}

/** Extensions are checked when they are loaded, but not for everything that a channel needs. */
function checkChannel(given: ChannelLike): Channel {
  const channel = given as ChannelLike & Partial<Channel>;
  const { name, accountId, charsMax } = channel;
  if (!NAME.test(name) || RESERVED.has(name))
    throw invalid(
      `The name of a channel must be up to 32 letters, digits, - and _, and not "${name}"`,
      "name",
    );
  if (typeof accountId !== "string" || accountId === "")
    throw invalid(`The channel ${name} has no accountId`, "accountId");
  if (!(typeof charsMax === "number" && charsMax > 0))
    throw invalid(`The channel ${name} must have charsMax, a number above 0`, "charsMax");
  return channel as ChannelLike as Channel;
}
