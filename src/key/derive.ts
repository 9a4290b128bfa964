import { invalid } from "../errors.ts";
import { checkObject } from "../util/checked-arguments.ts";
import { isSlackUser, lower, ruleOf } from "./channels.ts";
import { type KeyConfig, resolveSessionKey } from "./resolve.ts";
import { sealEnd, sealPart } from "./seal.ts";
import { sealSlackTeam } from "./slack.ts";
import { cleanText } from "./text.ts";

/** Where a message comes from, as its channel reports it. */
export interface RoutingContext {
  readonly channel: string;
  /** The sender's id or phone number; in the terminal, the name of the session. */
  readonly from: string;
  /** The room, unless it is a direct message. */
  readonly to?: string | undefined;
  readonly threadId?: string | undefined;
  /** The Slack workspace. */
  readonly team?: string | undefined;
}

export interface DeriveKeyParams extends RoutingContext {
  /** The agent that owns the conversation, when there are several. */
  readonly agentId?: string | undefined;
  readonly config?: KeyConfig | undefined;
}

/**
 * The session key of a message: a thread key with a thread id, a channel key
 * with `to`, otherwise the key of a direct conversation.
 *
 * Ids are escaped, so that none can be read as another part of a key.
 */
export function deriveSessionKey(params: DeriveKeyParams): string {
  checkObject(params, "params");
  const channel = lower(cleanText(params.channel, "channel"));
  // A channel named "agent" would reach the conversations of agents.
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
    throw invalid("Invalid from: expected a sender, a room or a thread", "from");
  }
  if (channel === "cli") return sealPart(from);
  if (channel === "slack") return slackPlace(from, to, thread, part("team"));
  if (thread !== "") return threadPlace(channel, to, thread);
  if (to !== "") return `channel:${seal(channel, to)}`;
  return ruleOf(channel).phone || channel === "web" ? seal(channel, from) : `dm:${seal(channel, from)}`;
}

/** Thread ids are global in Discord; elsewhere they are unique within their room only. */
function threadPlace(channel: string, to: string, thread: string): string {
  if (channel === "discord" || to === "") return `thread:${sealPart(thread)}`;
  return `thread:${sealPart(to)}:${sealPart(thread)}`;
}

/** A room may include its workspace, as in `T0123:C0456`. Otherwise `from` may be the workspace. */
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

/** Where ids contain colons, as in Matrix, the last part of a key may contain them too. */
function seal(channel: string, id: string): string {
  const { letters } = ruleOf(channel);
  return letters === "keep" && channel !== "web" ? sealEnd(id) : sealPart(id);
}

/** WhatsApp appends the user's device after a colon: all devices share one conversation. */
function withoutDevice(channel: string, id: string): string {
  return ruleOf(channel).digitsArePhone ? id.replace(/^(\d+):\d+(?=@)/, "$1") : id;
}
