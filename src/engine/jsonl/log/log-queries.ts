/** Reading entries of a conversation. No query takes the lock. */
import { ColloquyError } from "../../../errors.ts";
import type { StoredEntry } from "../../../message/types.ts";
import { LogReader } from "../../../transcript/log-reader.ts";
import { isSingle, pathOf } from "../../../tree/path.ts";
import { type LogEnd, targetBranch } from "../../../tree/place-entries.ts";
import { ownerOf } from "../../../tree/tree.ts";
import { openingPage } from "../../opening-rules.ts";
import type { EntryPage, PageQuery } from "../../queries.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import { missingLog } from "./open-logs.ts";

export function readPage(context: JsonlContext, query: PageQuery): EntryPage {
  if (query.asStored) return readStoredPage(context, query);
  const known = readable(context, query.conversation);
  if (known === undefined) return { entries: [], more: false };
  const { tree, lastSeq } = known.log;
  const branch = query.branch === null ? undefined : targetBranch(tree, query.branch);
  // Most conversations have no branches: their log is their path.
  const ranges = branch === undefined || isSingle(tree) ? undefined : pathOf(tree, branch, lastSeq);
  using reader = readerOf(context, known);
  const { direction, from, limit, bytesMax, kind } = query;
  return { ...reader.page({ direction, from, limit, bytesMax, kind, ranges }), branch };
}

/** The whole log, with the branch of every entry, for a copy. */
function readStoredPage(
  context: JsonlContext,
  { conversation, direction, from, limit, bytesMax, kind }: PageQuery,
): EntryPage {
  const known = readable(context, conversation, true);
  if (known === undefined) return { entries: [], more: false, branches: [] };
  using reader = readerOf(context, known);
  const page = reader.page({ direction, from, limit, bytesMax, kind });
  const branches = page.entries.map(({ seq }) => ownerOf(known.log.tree, seq));
  const turn = context.journals.turn(known, Number.MAX_SAFE_INTEGER)?.id;
  return { ...page, branches, turn };
}

/** The first messages. None if the log is missing: the list must still show the conversation. */
export function readOpening(context: JsonlContext, conversation: string): readonly StoredEntry[] {
  try {
    return readStoredPage(context, openingPage(conversation)).entries;
  } catch (error) {
    if (error instanceof ColloquyError) return [];
    throw error;
  }
}

export function locateEntry(
  context: JsonlContext,
  conversation: string,
  entryId: string,
): number | undefined {
  const known = readable(context, conversation);
  if (known === undefined) return undefined;
  const index = context.logs.indexOf(conversation);
  if (index !== undefined) return index.byId(entryId, () => {})?.seq;
  using reader = readerOf(context, known);
  return reader.locate(entryId);
}

export function readLogEnd(context: JsonlContext, conversation: string): LogEnd | undefined {
  const known = context.catalogue.byId(conversation);
  if (known === undefined || known.trashed) return undefined;
  const { lastSeq, last, tree } = (readable(context, conversation) ?? known).log;
  return { lastSeq, last, tree };
}

/** The conversation if its log can be read; `undefined` if there is nothing to read. */
function readable(
  { catalogue }: JsonlContext,
  conversation: string,
  alsoTrash = false,
): CatalogueEntry | undefined {
  let known = catalogue.byId(conversation);
  // Another process may be moving the log, so look twice before calling it missing.
  if (known?.logMissing) known = catalogue.reread(known.stem);
  if (known === undefined || (known.trashed && !alsoTrash)) return undefined;
  if (known.logMissing && known.log.messages > 0) throw missingLog(known);
  return known.logMissing ? undefined : known;
}

function readerOf({ io, problems }: JsonlContext, { logPath, log, seenLog }: CatalogueEntry): LogReader {
  const end = seenLog && { ...log, inode: seenLog.inode };
  return new LogReader(io, logPath, (line) => problems.badLine(logPath, line), end);
}
