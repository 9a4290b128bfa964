import type { StoredEntry } from "../../../message/types.ts";
import { isSingle, pathOf, type SeqRange, within } from "../../../tree/path.ts";
import { targetBranch } from "../../../tree/place-entries.ts";
import { ownerOf } from "../../../tree/tree.ts";
import type { EntryPage, PageQuery } from "../../queries.ts";
import { isLostPlace, pageBytesOf, type Row, toEntry } from "../rows.ts";
import type { Statements } from "../statements.ts";
import type { CheckedRows } from "./checked-rows.ts";
import type { CachedTree, TreeCache } from "./tree-cache.ts";

type Rows = Iterable<Row>;

/** In one read transaction, so that the path and the entries belong together. */
export function readPage(
  sql: Statements,
  trees: TreeCache,
  query: PageQuery,
  damaged: (problem: string) => void,
  checked: CheckedRows,
): EntryPage {
  const { isIntact } = checked;
  if (query.branch === null) return fill(wholeLog(sql, query), query, damaged, isIntact);
  const cached = trees.find(query.conversation);
  if (cached === undefined) return { entries: [], more: false };
  const { tree, lastSeq } = cached.logEnd;
  const branch = targetBranch(tree, query.branch);
  // Most conversations were never branched: their log is their path.
  const rows = isSingle(tree)
    ? wholeLog(sql, query)
    : alongPath(sql, cached.n, pathOf(tree, branch, lastSeq), query);
  return { ...fill(rows, query, damaged, isIntact), branch };
}

/** The whole log of a conversation, with the branch of each entry. For copies: every row is checked. */
export function readStored(
  sql: Statements,
  { n, logEnd }: CachedTree,
  query: PageQuery,
  damaged: (problem: string) => void,
): EntryPage {
  const rows = sql.rangeForward.iterate(n, (query.from ?? 0) + 1, Number.MAX_SAFE_INTEGER);
  const page = fill(rows, { ...query, direction: "forward" }, damaged);
  return { ...page, branches: page.entries.map(({ seq }) => ownerOf(logEnd.tree, seq)) };
}

function wholeLog(sql: Statements, { conversation, direction, from }: PageQuery): Rows {
  const rows =
    direction === "forward"
      ? sql.logForward.iterate(conversation, from ?? 0)
      : sql.logBackward.iterate(conversation, from ?? Number.MAX_SAFE_INTEGER);
  return rows;
}

function* alongPath(
  sql: Statements,
  n: number,
  path: readonly SeqRange[],
  { direction, from }: PageQuery,
): Generator<Row> {
  if (direction === "forward") {
    for (const [first, last] of within(path, (from ?? 0) + 1, Number.MAX_SAFE_INTEGER)) {
      yield* sql.rangeForward.iterate(n, first, last);
    }
  } else {
    for (const [first, last] of within(path, 1, (from ?? Number.MAX_SAFE_INTEGER) - 1).reverse()) {
      yield* sql.rangeBackward.iterate(n, first, last);
    }
  }
}

/** As in a transcript: what this entry follows cannot be read. */
const PARENT_DAMAGED: readonly string[] = ["parent-damaged"];

/** Row by row: a page may reach its byte limit long before its entry limit. */
function fill(
  rows: Rows,
  query: PageQuery,
  damaged: (problem: string) => void,
  isIntact?: (row: Row) => boolean,
): EntryPage {
  const { direction, limit, bytesMax, kind, conversation } = query;
  const entries: StoredEntry[] = [];
  let bytes = 0;
  let more = false;
  let isAfterGap = false;
  const skip = (): void => {
    // Backwards, the entry after it came first.
    const after = direction === "forward" ? undefined : entries.pop();
    if (after !== undefined) entries.push({ ...after, flags: PARENT_DAMAGED });
    isAfterGap = direction === "forward";
  };
  for (const row of rows) {
    if (!query.asStored && isLostPlace(row)) {
      skip();
      continue;
    }
    if (kind !== undefined && row[3] !== kind) continue;
    bytes += pageBytesOf(row);
    if (entries.length >= limit || (entries.length > 0 && bytes > bytesMax)) {
      more = true;
      break;
    }
    const entry = toEntry(row, isIntact);
    if (entry === undefined) {
      const what = "is damaged: it does not match its checksum, or is not JSON";
      damaged(`Entry ${row[0]} of conversation ${conversation} ${what}`);
      skip();
      continue;
    }
    entries.push(isAfterGap ? { ...entry, flags: PARENT_DAMAGED } : entry);
    isAfterGap = false;
  }
  return { entries: direction === "forward" ? entries : entries.reverse(), more };
}
