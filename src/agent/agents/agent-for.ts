import { ColloquyError } from "../../errors.ts";
import { checkObject } from "../../util/checked-arguments.ts";
import type { JsonObject } from "../../util/json.ts";
import { objectIn, objectsIn, textIn } from "../../util/values.ts";
import { type AgentDefinition, agentById, defaultAgentId } from "./agent-definition.ts";

/** Where a message comes from, as its channel reports it. */
export interface MessagePlace {
  readonly channel: string;
  /** The owner's account on that platform. */
  readonly accountId?: string | undefined;
  /** The sender. */
  readonly peer?: string | undefined;
  /** The room, unless it is a direct message. */
  readonly to?: string | undefined;
  /** The server, workspace or group of the room. */
  readonly groupId?: string | undefined;
}

/**
 * The agent that answers a message: that of the most specific binding, the first of equally specific ones, or the
 * default agent. A binding to an agent that does not exist is an error: another agent may be allowed to do more.
 */
export function agentFor(place: MessagePlace, config: JsonObject): AgentDefinition {
  checkObject(place, "place");
  checkObject(config, "config");
  let best = { weight: 0, index: -1, agentId: "" };
  for (const [index, binding] of objectsIn(config.bindings).entries()) {
    const weight = weightOf(objectIn(binding.match) ?? {}, place);
    if (weight > best.weight) best = { weight, index, agentId: textIn(binding.agentId) ?? "" };
  }
  if (best.index < 0) return agentById(defaultAgentId(config), config);
  try {
    return agentById(best.agentId, config);
  } catch (error) {
    const { code, message } = error as ColloquyError;
    throw new ColloquyError(code, `bindings[${best.index}].agentId: ${message}`, { cause: error });
  }
}

const [ANY, CHANNEL, ACCOUNT, GROUP, PEER] = [1, 2, 4, 8, 16];

/** How specific a match is; 0 if it does not match. A property that is not given matches everything. */
function weightOf(match: JsonObject, place: MessagePlace): number {
  const { channel, accountId, peer } = match;
  const groupId = match.groupId ?? match.guildId ?? match.teamId;
  let weight = ANY;
  if (channel !== undefined && channel !== "*") {
    if (textIn(channel)?.toLowerCase() !== place.channel.toLowerCase()) return 0;
    weight += CHANNEL;
  }
  if (accountId !== undefined && accountId !== "*") {
    if (accountId !== place.accountId) return 0;
    weight += ACCOUNT;
  }
  if (groupId !== undefined) {
    if (groupId !== place.groupId) return 0;
    weight += GROUP;
  }
  if (peer !== undefined) {
    const { id, kind } = objectIn(peer) ?? { id: peer };
    if (!isPeer(textIn(id), textIn(kind), place)) return 0;
    weight += PEER;
  }
  return weight;
}

/** A user only matches in a direct message: in a room, others read the answer. */
function isPeer(id: string | undefined, kind: string | undefined, { peer, to }: MessagePlace): boolean {
  const isDirect = to === undefined || to === "";
  const wantsDirect = kind === "direct" || kind === "dm";
  if (id === undefined || (kind !== undefined && wantsDirect !== isDirect)) return false;
  return isDirect ? id === peer : id === to;
}
