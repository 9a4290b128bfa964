/**
 * Whether a tool may run.
 *
 * The rules are the owner's: they come from the config alone. What a message, a tool or a skill says is not an
 * argument of this function, so that no text can change them.
 */
import { checkObject } from "../../../util/checked-arguments.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { listIn, objectIn } from "../../../util/values.ts";
import { matchesName, weightOf } from "./name-pattern.ts";

export type Approval = "allow" | "ask" | "deny";

/** Patterns of names, in which `*` is any text. */
export interface ToolLimits {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** Strictest first. */
const APPROVALS: readonly Approval[] = ["deny", "ask", "allow"];

/**
 * The rule for a tool in a channel. `config` is the config, of which the sections `tools` and `approvals` count;
 * `agent` adds the limits of an agent.
 *
 * `deny` lists are final. Where there is an `allow` list, everything else is denied. Then the rules of the channel
 * come before the general ones, the most specific pattern wins, and of two equally specific ones the stricter.
 */
export function approvalFor(
  tool: string,
  channel: string | undefined,
  config: JsonObject,
  agent: ToolLimits = {},
): Approval {
  checkObject(config, "config");
  checkObject(agent, "agent");
  if (![limitsIn(config.tools), agent].every((limits) => isWithin(tool, limits))) return "deny";
  const general = objectIn(config.approvals) ?? {};
  const channels = objectIn(general.channels) ?? {};
  const own = channel !== undefined && Object.hasOwn(channels, channel) ? objectIn(channels[channel]) : {};
  const places = [own ?? {}, general];
  for (const place of places) {
    const rule = ruleIn(place.tools, tool);
    if (rule !== undefined) return rule;
  }
  const preset = places.find((place) => place.default !== undefined)?.default;
  return preset === undefined ? "allow" : checked(preset);
}

/** The limits in a section `tools`. */
export function limitsIn(section: Json | undefined): ToolLimits {
  const { allow, deny } = objectIn(section) ?? {};
  return { allow: allow === undefined ? undefined : names(allow), deny: names(deny) };
}

function names(list: Json | undefined): string[] {
  return listIn(list).filter((name) => typeof name === "string");
}

function isWithin(tool: string, { allow, deny = [] }: ToolLimits): boolean {
  if (deny.some((pattern) => matchesName(pattern, tool))) return false;
  return allow === undefined || allow.some((pattern) => matchesName(pattern, tool));
}

function ruleIn(rules: Json | undefined, tool: string): Approval | undefined {
  const matching = Object.entries(objectIn(rules) ?? {}).filter(([pattern]) => matchesName(pattern, tool));
  const most = Math.max(...matching.map(([pattern]) => weightOf(pattern)));
  const found = matching.filter(([pattern]) => weightOf(pattern) === most).map(([, value]) => checked(value));
  return APPROVALS.find((approval) => found.includes(approval));
}

/** A value that is not a rule allows nothing. */
function checked(value: Json | undefined): Approval {
  return APPROVALS.find((approval) => approval === value) ?? "deny";
}
