import type { StoredEntry } from "../../../message/types.ts";
import { isSingle, pathOf, type SeqRange, unreachable, within } from "../../../tree/path.ts";
import { targetBranch } from "../../../tree/place-entries.ts";
import { ownerOf } from "../../../tree/tree.ts";
import type { EntryPage, PageQuery } from "../../queries.ts";
import type { Damage } from "../damage.ts";
import { isLostPlace, pageBytesOf, type Row, toEntry } from "../rows.ts";
import type { Statements } from "../statements.ts";
import type { CheckedRows } from "./checked-rows.ts";
import { HiddenEntries } from "./hidden-entries.ts";
import type { CachedTree, TreeCache } from "./tree-cache.ts";

/** In one read transaction, so that the path and the entries belong together. */
export function readPage(
  sql: Statements,
  trees: TreeCache,
  query: PageQuery,
  damage: Damage,
  checked: CheckedRows,
): EntryPage {
  const cached = trees.find(query.conversation);
  if (cached === undefined) return { entries: [], more: false };
  const page = new PageBuilder(query, damage.damaged, checked.isIntact);
  if (query.branch === null) return read(sql, cached, undefined, page, damage);
  const { tree, lastSeq } = cached.logEnd;
  const branch = targetBranch(tree, query.branch);
  // Most conversations were never branched: their log is their path.
  const path: SeqRange[] = isSingle(tree) ? [[1, lastSeq]] : pathOf(tree, branch, lastSeq);
  return { ...read(sql, cached, path, page, damage), branch };
}

/** The whole log of a conversation, with the branch of each entry. For copies: every row is checked. */
export function readStored(sql: Statements, cached: CachedTree, query: PageQuery, damage: Damage): EntryPage {
  const builder = new PageBuilder({ ...query, direction: "forward" }, damage.damaged);
  const page = read(sql, cached, undefined, builder, damage);
  return { ...page, branches: page.entries.map(({ seq }) => ownerOf(cached.logEnd.tree, seq)) };
}

/** Along `path`, or the whole log. */
function read(
  sql: Statements,
  { n, logEnd }: CachedTree,
  path: readonly SeqRange[] | undefined,
  page: PageBuilder,
  { hidden }: Damage,
): EntryPage {
  const { tree, lastSeq } = logEnd;
  const { direction, from } = page.query;
  const isForward = direction === "forward";
  const ranges = within(
    path ?? [[1, lastSeq]],
    isForward ? (from ?? 0) + 1 : 1,
    isForward ? lastSeq : (from ?? lastSeq + 1) - 1,
  );
  const swept = path === undefined ? unreachable(tree, lastSeq) : undefined;
  const index = new HiddenEntries(sql, { n, tree, swept }, hidden);
  const statement = isForward ? sql.rangeForward : sql.rangeBackward;
  const step = isForward ? 1 : -1;
  let before: Row | undefined;
  for (const [first, last] of isForward ? ranges : ranges.reverse()) {
    let next = isForward ? first : last;
    for (const row of statement.iterate(n, first, last)) {
      const seq = row[1] as number;
      if (seq !== next)
        if (isForward) index.missing(next, seq - 1, row);
        else index.missing(seq + 1, next, before);
      if (row[10] !== null) index.checkBranch(row);
      next = seq + step;
      before = row;
      if (!page.add(row)) return page.result(true);
    }
    if (isForward && next <= last) index.missing(next, last, undefined);
    if (!isForward && next >= first) index.missing(first, next, before);
  }
  return page.result(false);
}

/** As in a transcript: what this entry follows cannot be read. */
const PARENT_DAMAGED: readonly string[] = ["parent-damaged"];

/** Collects rows in reading direction. A page may reach its byte limit long before its entry limit. */
class PageBuilder {
  readonly query: PageQuery;
  readonly #damaged: (problem: string) => void;
  readonly #isIntact: ((row: Row) => boolean) | undefined;
  readonly #entries: StoredEntry[] = [];
  #bytes = 0;
  #isAfterGap = false;

  constructor(query: PageQuery, damaged: (problem: string) => void, isIntact?: (row: Row) => boolean) {
    this.query = query;
    this.#damaged = damaged;
    this.#isIntact = isIntact;
  }

  /** Whether the row belongs to the page. */
  add(row: Row): boolean {
    const { limit, bytesMax, kind, conversation, asStored } = this.query;
    if (!asStored && isLostPlace(row)) {
      this.#skip();
      return true;
    }
    if (kind !== undefined && row[3] !== kind) return true;
    // Before the limit: backwards, a damaged row marks the last entry of this page.
    const entry = toEntry(row, this.#isIntact);
    if (entry === undefined) {
      const what = "is damaged: it does not match its checksum, or is not JSON";
      this.#damaged(`Entry ${row[0]} of conversation ${conversation} ${what}`);
      this.#skip();
      return true;
    }
    const entries = this.#entries;
    this.#bytes += pageBytesOf(row);
    if (entries.length >= limit || (entries.length > 0 && this.#bytes > bytesMax)) return false;
    entries.push(this.#isAfterGap ? { ...entry, flags: PARENT_DAMAGED } : entry);
    this.#isAfterGap = false;
    return true;
  }

  #skip(): void {
    const isForward = this.query.direction === "forward";
    // Backwards, the entry after it came first.
    const after = isForward ? undefined : this.#entries.pop();
    if (after !== undefined) this.#entries.push({ ...after, flags: PARENT_DAMAGED });
    this.#isAfterGap = isForward;
  }

  result(more: boolean): EntryPage {
    const entries = this.#entries;
    return { entries: this.query.direction === "forward" ? entries : entries.reverse(), more };
  }
}
