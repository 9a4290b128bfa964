import { isSingle, pathOf, type SeqRange, unreachable, within } from "../../../tree/path.ts";
import { targetBranch } from "../../../tree/place-entries.ts";
import { ownerOf } from "../../../tree/tree.ts";
import type { EntryPage, PageQuery, PageText, TextQuery } from "../../queries.ts";
import type { Damage } from "../damage.ts";
import type { Row } from "../rows.ts";
import type { Statements } from "../statements.ts";
import type { CheckedRows } from "./checked-rows.ts";
import { HiddenEntries } from "./hidden-entries.ts";
import { type Found, PageBuilder, type Shape } from "./page-builder.ts";
import { entryShape, textShape } from "./page-shapes.ts";
import type { CachedTree, TreeCache } from "./tree-cache.ts";

const AT_ONCE_MAX = 64;
const NO_LIMIT = -1;

/** In one read transaction, so that the path and the entries belong together. */
export function readPage(
  sql: Statements,
  trees: TreeCache,
  query: PageQuery,
  damage: Damage,
  checked: CheckedRows,
): EntryPage {
  const { items, more, branch } = readShaped(sql, trees, query, damage, entryShape(checked.isIntact));
  return { entries: items, more, branch };
}

/** The same as text, for messages. */
export function readPageText(
  sql: Statements,
  trees: TreeCache,
  query: TextQuery,
  damage: Damage,
  checked: CheckedRows,
): PageText {
  const messages = { ...query, kind: "message" };
  const { items, more, branch } = readShaped(sql, trees, messages, damage, textShape(checked));
  const [first, last] = [items[0], items.at(-1)];
  let json = "";
  for (const item of items) json += json === "" ? item.json : `,${item.json}`;
  return {
    json: `[${json}]`,
    ends: first === undefined || last === undefined ? null : [first.seq, last.seq],
    more,
    branch,
    hasBlobs: items.some(({ hasBlobs }) => hasBlobs),
  };
}

function readShaped<Item>(
  sql: Statements,
  trees: TreeCache,
  query: PageQuery,
  damage: Damage,
  shape: Shape<Item>,
): Found<Item> & Pick<EntryPage, "branch"> {
  const cached = trees.find(query.conversation);
  if (cached === undefined) return { items: [], more: false };
  const page = new PageBuilder(query, shape, damage.damaged);
  if (query.branch === null) return read(sql, cached, undefined, page, damage);
  const { tree, lastSeq } = cached.logEnd;
  const branch = targetBranch(tree, query.branch);
  // Most conversations were never branched: their log is their path.
  const path: SeqRange[] = isSingle(tree) ? [[1, lastSeq]] : pathOf(tree, branch, lastSeq);
  return { ...read(sql, cached, path, page, damage), branch };
}

/** The whole log of a conversation, with the branch of each entry. For copies: every row is checked. */
export function readStored(sql: Statements, cached: CachedTree, query: PageQuery, damage: Damage): EntryPage {
  const builder = new PageBuilder({ ...query, direction: "forward" }, entryShape(), damage.damaged);
  const { items, more } = read(sql, cached, undefined, builder, damage);
  return { entries: items, more, branches: items.map(({ seq }) => ownerOf(cached.logEnd.tree, seq)) };
}

/** Along `path`, or the whole log. */
function read<Item>(
  sql: Statements,
  { n, logEnd }: CachedTree,
  path: readonly SeqRange[] | undefined,
  page: PageBuilder<Item>,
  { hidden }: Damage,
): Found<Item> {
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
  const step = isForward ? 1 : -1;
  let before: Row | undefined;
  for (const range of isForward ? ranges : ranges.reverse()) {
    const [first, last] = range;
    let next = isForward ? first : last;
    for (const row of rowsOf(sql, n, range, page.query)) {
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

/** Most pages end within the first rows. These are fetched at once: to step through them would cost half as much again. */
function* rowsOf(
  sql: Statements,
  n: number,
  [first, last]: SeqRange,
  { direction, limit }: PageQuery,
): Generator<Row, void, undefined> {
  const isForward = direction === "forward";
  const statement = isForward ? sql.rangeForward : sql.rangeBackward;
  const count = Math.min(limit + 1, AT_ONCE_MAX);
  const rows = statement.all(n, first, last, count);
  yield* rows;
  if (rows.length < count) return;
  const end = rows.at(-1)?.[1] as number;
  yield* isForward
    ? statement.iterate(n, end + 1, last, NO_LIMIT)
    : statement.iterate(n, first, end - 1, NO_LIMIT);
}
