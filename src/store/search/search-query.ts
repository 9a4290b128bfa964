/** What `store.search` accepts. */
import { invalid } from "../../errors.ts";
import { checkLabel, checkProperties } from "../../message/validate.ts";
import type { QueryFilters } from "../../text/query.ts";
import { checkCount, checkTime } from "../access.ts";
import { decodeCursor } from "../read/cursor.ts";
import type { SearchAccess } from "./source.ts";

export interface SearchOptions {
  /** By words, by meaning, or by both. Default: `keyword`; the others need the option `semantic` of `openStore`. */
  readonly mode?: "keyword" | "semantic" | "hybrid";
  /** Hits on a page. Default: 10, at most 100. */
  readonly limit?: number;
  /** Best first (default), or newest first among the best. */
  readonly order?: "best" | "newest";
  /** Only in this conversation, by id or session key. */
  readonly conversation?: string;
  /** Exactly this channel. */
  readonly channel?: string;
  /** Session keys that begin with this. It is normalised like a key. */
  readonly keyPrefix?: string;
  readonly role?: "user" | "assistant" | "system";
  /** A part of the model's name. */
  readonly model?: string;
  /** Messages that call this tool. */
  readonly tool?: string;
  /** The path of this branch of each conversation; `active` is the checked-out one. Default: all branches. */
  readonly branch?: string;
  /** Written at this time or later. ISO 8601. */
  readonly after?: string;
  /** Written before this time. */
  readonly before?: string;
  /** Only in titles, in what was said, in tool calls, in thinking, or in the output of tools. */
  readonly in?: "title" | "text" | "tool" | "thinking" | "output";
  /** Only messages with code. */
  readonly is?: "code";
  /** From the previous page. `null`, as on the last page, returns an empty page. */
  readonly cursor?: string | null;
}

const PROPERTIES: ReadonlySet<string> = new Set([
  ...["mode", "limit", "order", "conversation", "channel", "keyPrefix", "role", "model", "tool", "branch"],
  ...["after", "before", "in", "is", "cursor"],
]);
const LIMIT_DEFAULT = 10;
export const LIMIT_MAX = 100;
const TEXT_CHARS_MAX = 100_000;

export interface CheckedSearch {
  readonly mode: "keyword" | "semantic" | "hybrid";
  readonly limit: number;
  readonly order: "best" | "newest";
  readonly conversation: string | undefined;
  /** Those of the options. The ones in the query itself come after them. */
  readonly filters: QueryFilters;
  /** How many hits the earlier pages had; `undefined` after the last page. */
  readonly skip: number | undefined;
}

export function checkSearch({ keys }: SearchAccess, text: unknown, options: SearchOptions): CheckedSearch {
  if (typeof text !== "string") throw invalid("The query must be a string", "text");
  if (text.length > TEXT_CHARS_MAX) {
    throw invalid(`The query is longer than ${TEXT_CHARS_MAX} characters`, "text");
  }
  checkProperties(options, PROPERTIES, "options");
  const { channel, keyPrefix, model, tool, branch, after, before, cursor, conversation } = options;
  checkOneOf(options.mode, ["keyword", "semantic", "hybrid"], "mode");
  checkOneOf(options.order, ["best", "newest"], "order");
  checkOneOf(options.role, ["user", "assistant", "system"], "role");
  checkOneOf(options.in, ["title", "text", "tool", "thinking", "output"], "in");
  checkOneOf(options.is, ["code"], "is");
  if (conversation !== undefined && typeof conversation !== "string") {
    throw invalid("conversation must be an id or a session key", "conversation");
  }
  const filters: QueryFilters = {
    ...(channel !== undefined && { channel: checkLabel(channel, "channel") }),
    ...(keyPrefix !== undefined && { key: keys.resolvePrefix(keyPrefix) }),
    ...(options.role !== undefined && { role: options.role }),
    ...(model !== undefined && { model: checkLabel(model, "model") }),
    ...(tool !== undefined && { tool: checkLabel(tool, "tool") }),
    ...(branch !== undefined && { branch: checkLabel(branch, "branch") }),
    ...(after !== undefined && { after: checkTime(after, "after") }),
    ...(before !== undefined && { before: checkTime(before, "before") }),
    ...(options.in !== undefined && { in: options.in }),
    ...(options.is !== undefined && { is: options.is }),
  };
  const limit = checkCount(options.limit ?? LIMIT_DEFAULT, "limit", LIMIT_MAX);
  const skip = cursor === null ? undefined : cursor === undefined ? 0 : placeOf(cursor);
  return {
    mode: options.mode ?? "keyword",
    limit,
    order: options.order ?? "best",
    conversation,
    filters,
    skip,
  };
}

function placeOf(cursor: string): number {
  const [skip] = decodeCursor("s", cursor, ["number"]) as [number];
  if (!Number.isSafeInteger(skip) || skip < 0) throw invalid("Invalid cursor", "cursor");
  return skip;
}

function checkOneOf(value: unknown, accepted: readonly string[], field: string): void {
  if (value === undefined || accepted.includes(value as string)) return;
  throw invalid(`${field} must be ${accepted.map((name) => JSON.stringify(name)).join(", ")}`, field);
}
