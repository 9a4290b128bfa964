import { invalid } from "../../errors.ts";
import { checkEntryId, checkLabel, checkProperties } from "../../message/validate.ts";
import { checkCount, LIMIT_MAX } from "../access.ts";
import { decodeCursor } from "./cursor.ts";

/**
 * Which entries: at most one of `last`, `before`, `after` and `cursor`. Default: from the first. Pages of
 * `last` and `before` go backwards; an iteration is always in ascending order.
 */
export interface EntryQuery {
  /** The newest N. */
  readonly last?: number;
  /** The entries right before this id. */
  readonly before?: string;
  /** The entries right after this id. */
  readonly after?: string;
  /** Page size. Default: 100, at most 10,000. */
  readonly limit?: number;
  /** A page ends before it would exceed this many bytes, but holds at least one entry. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** From the previous page, to continue in its direction. `null`, as on the last page, returns an empty page. */
  readonly cursor?: string | null;
  /** The path of this branch. Default: the checked-out one. */
  readonly branch?: string;
  /** The whole log: every branch, and the changes to the tree. */
  readonly all?: boolean;
  /** `inline` (default): large parts are in the message. `references`: the entry lists them in `blobs`. */
  readonly blobs?: "inline" | "references";
}

export interface PagePlan {
  readonly direction: "forward" | "backward";
  readonly from: number | null;
  /** The entry id to start from, unless a cursor has its `seq`. */
  readonly anchor: string | undefined;
  readonly limit: number;
  readonly bytesMax: number;
  readonly branch: string | number | null | undefined;
  readonly inline: boolean;
  /** The cursor of the last page was passed back: there is nothing more. */
  readonly ended: boolean;
}

/** In a cursor, instead of a branch. */
export const WHOLE_LOG = -1;

const LIMIT_DEFAULT = 100;
/** Default limit of a page: enough for the longest message. */
export const PAGE_BYTES_DEFAULT: number = 64 * 1024 * 1024;

const QUERY_MEMBERS: ReadonlySet<string> = new Set([
  "last",
  "before",
  "after",
  "limit",
  "maxBytes",
  "cursor",
  "branch",
  "all",
  "blobs",
]);

export function planPage(query: EntryQuery, lastMax: number = LIMIT_MAX): PagePlan {
  checkProperties(query, QUERY_MEMBERS, "query");
  const { last, before, after, cursor } = query;
  if ([last, before, after, cursor].filter((member) => member !== undefined).length > 1) {
    throw invalid("Only one of last, before, after and cursor can be given", "query");
  }
  const limit = checkCount(query.limit ?? LIMIT_DEFAULT, "limit");
  const same = {
    limit: last === undefined ? limit : Math.min(checkCount(last, "last", lastMax), query.limit ?? LIMIT_MAX),
    bytesMax: checkCount(query.maxBytes ?? PAGE_BYTES_DEFAULT, "maxBytes", Number.MAX_SAFE_INTEGER),
    ...checkScope(query),
  };
  if (typeof cursor === "string") {
    const [direction, from, branch] = decodeCursor("e", cursor, ["string", "number", "number"]);
    const backward = direction === "backward";
    return {
      ...same,
      // On the branch of the first page, unless the caller passes another.
      branch: same.branch === undefined && branch !== WHOLE_LOG ? (branch as number) : same.branch,
      direction: backward ? "backward" : "forward",
      from: from as number,
      anchor: undefined,
      ended: false,
    };
  }
  const anchor = before ?? after;
  return {
    ...same,
    direction: last !== undefined || before !== undefined ? "backward" : "forward",
    from: null,
    anchor:
      anchor === undefined ? undefined : checkEntryId(anchor, before === undefined ? "after" : "before"),
    ended: cursor === null,
  };
}

function checkScope({ branch, all, blobs }: EntryQuery): Pick<PagePlan, "branch" | "inline"> {
  if (all !== undefined && typeof all !== "boolean") throw invalid("all must be true or false", "all");
  if (all && branch !== undefined) throw invalid("Pass either `branch` or `all`, not both", "branch");
  return {
    branch: all ? null : branch === undefined ? undefined : checkLabel(branch, "branch"),
    inline: isInline(blobs),
  };
}

/** Of a single entry. Returns whether its large parts belong into the message. */
export function checkBlobs(query: Pick<EntryQuery, "blobs">): boolean {
  checkProperties(query, new Set(["blobs"]), "query");
  return isInline(query.blobs);
}

function isInline(blobs: EntryQuery["blobs"]): boolean {
  if (blobs !== undefined && blobs !== "inline" && blobs !== "references") {
    throw invalid('blobs must be "inline" or "references"', "blobs");
  }
  return blobs !== "references";
}
