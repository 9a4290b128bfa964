import { invalid } from "../errors.ts";
import { isSlackUser, lower, ruleOf } from "./channels.ts";
import { type KeyConfig, resolveSessionKey } from "./resolve.ts";
import { sealEnd, sealPart } from "./seal.ts";
import { sealSlackTeam } from "./slack.ts";
import { cleanText } from "./text.ts";

/** Where a message comes from, as its channel tells it. */
export interface RoutingContext {
  readonly channel: string;
  /** Who wrote: a user's id or phone number; in the terminal the name of the session. */
  readonly from: string;
  /** The room in which it was written, if it was no direct message. */
  readonly to?: string | undefined;
  readonly threadId?: string | undefined;
  /** The workspace, for Slack. */
  readonly team?: string | undefined;
}

export interface DeriveKeyParams extends RoutingContext {
  /** The agent whose conversation it is, when there are several. */
  readonly agentId?: string | undefined;
  readonly config?: KeyConfig | undefined;
}

/**
 * The session key of a message: a thread id makes a thread key, a `to` a
 * channel key, anything else the key of a direct conversation.
 *
 * Ids are taken as they are: nothing in one can make it the id of something
 * else.
 */
export function deriveSessionKey(params: DeriveKeyParams): string {
  const channel = lower(cleanText(params.channel, "channel"));
  // A channel of that name would lead into the conversations of the agents.
  if (channel === "" || channel === "agent" || channel.includes(":")) {
    throw invalid("Invalid channel", "channel");
  }
  const place = placeOf(channel, params);
  const agent =
    params.agentId === undefined ? "" : `agent:${sealPart(cleanText(params.agentId, "agentId"))}:`;
  return resolveSessionKey({ sessionKey: `${agent}${channel}:${place}`, config: params.config });
}

function placeOf(channel: string, params: DeriveKeyParams): string {
  const part = (name: "to" | "threadId" | "team"): string => optional(params[name], name);
  const [to, thread] = [withoutDevice(channel, part("to")), part("threadId")];
  const from = withoutDevice(channel, cleanText(params.from, "from"));
  if (from === "" && to === "" && thread === "" && channel !== "cli") {
    throw invalid("Invalid from: a message comes from somebody", "from");
  }
  if (channel === "cli") return sealPart(from);
  if (channel === "slack") return slackPlace(from, to, thread, part("team"));
  if (thread !== "") return threadPlace(channel, to, thread);
  if (to !== "") return `channel:${seal(channel, to)}`;
  return ruleOf(channel).phone || channel === "web" ? seal(channel, from) : `dm:${seal(channel, from)}`;
}

/** Discord's threads have ids of their own; elsewhere they are counted within their room. */
function threadPlace(channel: string, to: string, thread: string): string {
  if (channel === "discord" || to === "") return `thread:${sealPart(thread)}`;
  return `thread:${sealPart(to)}:${sealPart(thread)}`;
}

/** A room may be given with its workspace, as `T0123:C0456`. Without one, `from` may be the workspace. */
function slackPlace(from: string, room: string, thread: string, givenTeam: string): string {
  const colon = room.indexOf(":");
  const to = sealPart(colon < 0 ? room : room.slice(colon + 1));
  const named = givenTeam !== "" ? givenTeam : room.slice(0, Math.max(colon, 0));
  const team = sealSlackTeam(sealPart(named === "" && to !== "" && !isSlackUser(from) ? from : named));
  const prefix = team === "" ? "" : `${team}:`;
  if (thread !== "") return `${prefix}${to === "" ? "" : `${to}:`}thread:${sealPart(thread)}`;
  if (to !== "") return team === "" ? `channel:${to}` : prefix + to;
  return `${prefix}dm:${sealPart(from)}`;
}

function optional(value: string | undefined, field: string): string {
  return value === undefined ? "" : cleanText(value, field);
}

/** Where ids have colons of their own, as in Matrix, the last part of a key may have them too. */
function seal(channel: string, id: string): string {
  const { letters } = ruleOf(channel);
  return letters === "keep" && channel !== "web" ? sealEnd(id) : sealPart(id);
}

/** WhatsApp names the device of a person behind a colon: one conversation for all of them. */
function withoutDevice(channel: string, id: string): string {
  return ruleOf(channel).digitsArePhone ? id.replace(/^(\d+):\d+(?=@)/, "$1") : id;
}
