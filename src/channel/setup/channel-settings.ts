/** What the config says of a channel. */
import { ColloquyError, invalid } from "../../errors.ts";
import { parseSessionKey } from "../../key/index.ts";
import type { Credentials } from "../../state/credentials/index.ts";
import type { Environment } from "../../state/folder.ts";
import type { JsonObject } from "../../util/json.ts";
import { filledIn, objectIn } from "../../util/values.ts";
import type { AccessPolicy } from "../host/authorise.ts";
import type { Lookup } from "./agent-setup.ts";

export interface ChannelSettings {
  readonly token: string | undefined;
  readonly accountId: string;
  readonly apiRoot: string | undefined;
  readonly access: AccessPolicy;
  /** Where the agent may look things up; by default, `lookupIn` decides. */
  readonly lookup: Lookup | undefined;
}

const ACCOUNT_DEFAULT = "default";

/** Ids of built-in channels are numbers. A room of Telegram has a negative one. */
const NUMERIC_ID = /^[+-]?\d+$/;

export interface SettingsOptions {
  readonly channel: string;
  /** One of its `accounts`. */
  readonly account?: string | undefined;
  /** Its accounts are those of the config, and the ids of its users and rooms are numbers. */
  readonly isBuiltIn: boolean;
}

/** Settings of an account win over those of its channel. */
export function channelSettings(
  { channel, account, isBuiltIn }: SettingsOptions,
  config: JsonObject,
  env: Environment,
): ChannelSettings {
  const section = objectIn(objectIn(config.channels)?.[channel]) ?? {};
  const accounts = objectIn(section.accounts) ?? {};
  const accountId = account ?? ACCOUNT_DEFAULT;
  const own = Object.hasOwn(accounts, accountId) ? objectIn(accounts[accountId]) : undefined;
  if (account !== undefined && own === undefined && isBuiltIn) {
    throw new ColloquyError("NOT_FOUND", `There is no account ${account} in channels.${channel}.accounts`, {
      field: "account",
    });
  }
  const of = { ...section, ...own };
  if (of.enabled === false) throw invalid(`channels.${channel} is not enabled in the config`, "enabled");
  const token = filledIn(of.token) ?? filledIn(of.botToken) ?? filledIn(env[tokenVariable(channel)]);
  const ids = (name: string): string[] => idsIn(of[name], `channels.${channel}.${name}`, isBuiltIn);
  const access = {
    users: ids("allowFrom"),
    rooms: ids("allowRooms"),
    answersAll: of.requireMention === false,
  };
  const lookup = LOOKUPS.find((one) => one === of.lookup);
  return { token, accountId, apiRoot: filledIn(of.apiRoot), access, lookup };
}

/** The token of a channel that cannot do without: of the config, the environment, or a profile of `colloquy auth`. */
export async function tokenOf(
  { token }: ChannelSettings,
  { channel, account }: Pick<SettingsOptions, "channel" | "account">,
  credentials: Pick<Credentials, "resolve">,
): Promise<string> {
  if (token !== undefined) return token;
  const which = account === undefined ? channel : `${channel}:${account}`;
  const profile = await credentials.resolve(which).catch((error: unknown) => {
    if (error instanceof ColloquyError && error.code === "NOT_FOUND") return undefined;
    throw error;
  });
  if (profile?.value !== undefined) return profile.value;
  const [path, variable] = [`channels.${channel}.token`, tokenVariable(channel)];
  const own = `Add one with colloquy auth add ${which.replace(":", " ")}`;
  const message = `There is no token. ${own}, or set ${path} in the config or the variable ${variable}`;
  throw new ColloquyError("NOT_FOUND", message, { field: "token" });
}

export function tokenVariable(channel: string): string {
  return `${channel.toUpperCase()}_BOT_TOKEN`;
}

const LOOKUPS: readonly Lookup[] = ["all", "session"];

/**
 * Everything that is stored may only be looked up for the owner, and where others do not read the answer. If the
 * config names one user, that is the owner.
 */
export function lookupIn(
  key: string,
  { access, lookup }: Pick<ChannelSettings, "access" | "lookup">,
): Lookup {
  if (lookup !== undefined) return lookup;
  const { kind, id } = parseSessionKey(key);
  const [owner, ...others] = access.users;
  return kind === "dm" && id === owner && others.length === 0 ? "all" : "session";
}

/** Names can be chosen by anybody, so only ids count. */
function idsIn(value: unknown, path: string, isBuiltIn: boolean): string[] {
  return (Array.isArray(value) ? value : []).map((id) => {
    // A number of this size is already that of somebody else.
    if (typeof id === "number" && !Number.isSafeInteger(id))
      throw invalid(`${path} has a number that is too large to be exact: write the id as a string`, path);
    const text = String(id).trim();
    if (text === "*" || !isBuiltIn || NUMERIC_ID.test(text)) return text;
    throw invalid(`${path} has "${text}": only numeric ids are allowed, as strings, or *`, path);
  });
}
