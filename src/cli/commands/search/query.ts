/** The options of a search, checked before a store is opened. */
import { invalid } from "../../../errors.ts";
import type { SearchOptions } from "../../../store/index.ts";
import { LIMIT_MAX } from "../../../store/search/search-query.ts";
import { dateOf } from "../../../text/query.ts";
import { defined } from "../../../util/json.ts";
import { quoted } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { branchOption } from "../../input/branch-name.ts";
import { channelOption } from "../../input/channel.ts";
import { integerOf } from "../../input/integer.ts";
import { nextCommand } from "../../invocation.ts";

const ROLES = ["user", "assistant", "system"] as const;
const PARTS = ["title", "text", "tool", "thinking", "output"] as const;
const MODES = ["keyword", "semantic", "hybrid"] as const;
/** Options that limit what is found. */
export const FILTERS: readonly string[] = [
  "role",
  "channel",
  "key",
  "model",
  "tool",
  "branch",
  "after",
  "before",
  "in",
];
/** Options that a further page does not repeat. */
const ONCE: ReadonlySet<string> = new Set(["cursor", "rebuild", "open"]);

export function searchOptions(call: Call): SearchOptions {
  const { values, flags } = call;
  const limit = values.get("limit");
  return defined({
    mode: chosen(call, "mode", MODES),
    limit: limit === undefined ? undefined : integerOf(limit, "limit", LIMIT_MAX),
    order: flags.has("newest") ? ("newest" as const) : undefined,
    channel: channelOption(call),
    keyPrefix: values.get("key"),
    role: chosen(call, "role", ROLES),
    model: values.get("model"),
    tool: values.get("tool"),
    branch: branchOption(call),
    after: timeOf(call, "after"),
    before: timeOf(call, "before"),
    in: chosen(call, "in", PARTS),
    cursor: values.get("cursor"),
  });
}

/** The same search, from where this page ends. */
export function nextPage({ command, args, values, flags }: Call, cursor: string): string {
  const text = args.join(" ");
  const options = Object.entries(command.options ?? {}).flatMap(([name, { short }]) => {
    if (ONCE.has(name)) return [];
    if (flags.has(name)) return [`--${name}`];
    const value = values.get(name);
    const typed = short === undefined ? `--${name}` : `-${short}`;
    return value === undefined ? [] : [`${typed} ${quoted(value)}`];
  });
  // A text that starts with a dash would be read as an option.
  const words = quoted(text.startsWith("-") ? ` ${text}` : text);
  return nextCommand(["search", words, ...options, `--cursor ${cursor}`].join(" "), values);
}

function chosen<T extends string>({ values }: Call, option: string, accepted: readonly T[]): T | undefined {
  const given = values.get(option);
  const known = accepted.find((name) => name === given?.toLowerCase());
  if (given === undefined || known !== undefined) return known;
  const names = [accepted.slice(0, -1).join(", "), accepted.at(-1)]
    .filter((part) => part !== "")
    .join(" or ");
  throw invalid(`--${option} must be ${names}, not "${given}"`, option);
}

/** As in a query: a day here is one in UTC. */
function timeOf({ values }: Call, option: string): string | undefined {
  const text = values.get(option);
  if (text === undefined) return undefined;
  const time = dateOf(text);
  if (time !== undefined) return time;
  throw invalid(
    `--${option} must be a year, month, day or time such as 2026-01 or 2026-03-01T09:00:00Z, not "${text}"`,
    option,
  );
}
