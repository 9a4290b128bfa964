/** Load the end of a branch, read backwards and no further than needed. */
import { type ContextItem, estimateTokens } from "../../context/index.ts";
import { isRealUser } from "../../context/item.ts";
import { unavailable } from "../../errors.ts";
import type { Entry, Message } from "../../message/types.ts";
import { checkLabel } from "../../message/validate.ts";
import { lastCompaction, messagesIn, pathOf, within } from "../../tree/path.ts";
import { type LogEnd, targetBranch } from "../../tree/place-entries.ts";
import type { Compaction } from "../../tree/tree.ts";
import { isPlainObject } from "../../util/json.ts";
import type { StoreAccess } from "../access.ts";
import { readEntries } from "../read/entries.ts";
import { entryAt, logEndOf } from "../read/lookups.ts";

/** The end of a path, and what replaces the rest. */
export interface Loaded {
  readonly items: readonly ContextItem[];
  /** `seq` of each item. */
  readonly seqs: readonly number[];
  readonly summary: { readonly id: string; readonly text: string } | undefined;
  readonly earlier: { readonly messages: number; readonly summarised: number };
  readonly logEnd: LogEnd;
  readonly branch: number;
}

const PAGE_ENTRIES = 256;
const PAGE_BYTES = 8 * 1024 * 1024;

/**
 * Load the end of a path: back to its last compaction, if `compacted`, and no
 * further than needed for `tokensMax` and the user's last message.
 */
export async function load(
  store: StoreAccess,
  id: string,
  branchName: string | undefined,
  tokensMax: number,
  compacted: boolean,
): Promise<Loaded> {
  const name = branchName === undefined ? undefined : checkLabel(branchName, "branch");
  const logEnd = await logEndOf(store, id);
  const { tree, lastSeq } = logEnd;
  // By id for all pages: another branch may be checked out in the meantime.
  const branch = targetBranch(tree, name);
  const path = pathOf(tree, branch, lastSeq);
  const compaction = compacted ? lastCompaction(tree, path) : undefined;
  const firstSeq = compaction?.firstKeptSeq ?? 1;
  const entries = await readBack(store, id, branch, firstSeq, lastSeq, tokensMax);
  const oldest = entries[0]?.seq ?? lastSeq + 1;
  const summary = compaction === undefined ? undefined : await summaryOf(store, id, compaction);
  const unloaded = messagesIn(tree, within(path, firstSeq, oldest - 1));
  const summarised = messagesIn(tree, within(path, 1, firstSeq - 1));
  let afterHole = false;
  const shown = entries.flatMap((entry) => {
    const message = shownAs(entry);
    afterHole ||= entry.flags?.includes("parent-damaged") === true;
    if (message === undefined) return [];
    const item: ContextItem = { id: entry.id, message, ...(afterHole && { afterHole }) };
    afterHole = false;
    return [{ seq: entry.seq, item }];
  });
  const holes = shown.filter(({ item }) => item.afterHole).map(({ item }) => item.id);
  if (holes.length > 0) reportHoles(store, id, holes);
  return {
    items: shown.map(({ item }) => item),
    seqs: shown.map(({ seq }) => seq),
    summary,
    earlier: { messages: unloaded + summarised, summarised },
    logEnd,
    branch,
  };
}

const NAMED_MAX = 5;
const reported = new WeakMap<StoreAccess, Set<string>>();

/** Once for each conversation and opening of the store: an agent asks for a context with every turn. */
function reportHoles(store: StoreAccess, id: string, holes: readonly string[]): void {
  const known = reported.get(store) ?? new Set<string>();
  if (known.has(id)) return;
  reported.set(store, known.add(id));
  const named = holes.slice(0, NAMED_MAX).join(", ");
  const more = holes.length > NAMED_MAX ? ` and ${holes.length - NAMED_MAX} more` : "";
  store.problem(
    unavailable(
      `Conversation ${id} is sent to models without the messages before ${named}${more}: they are damaged. Run colloquy sessions validate`,
      { details: { conversation: id, holes: holes.length } },
    ),
  );
}

async function readBack(
  store: StoreAccess,
  id: string,
  branch: number,
  firstSeq: number,
  lastSeq: number,
  tokensMax: number,
): Promise<Entry[]> {
  const pages: Entry[][] = [];
  let tokens = 0;
  let userSeen = false;
  for (let before = lastSeq + 1; ; ) {
    const page = await store.ask((engine) =>
      engine.page({
        conversation: id,
        direction: "backward",
        from: before,
        limit: PAGE_ENTRIES,
        bytesMax: PAGE_BYTES,
        branch,
      }),
    );
    const wanted = page.entries.filter(({ seq }) => seq >= firstSeq);
    const entries = await readEntries(store, wanted);
    pages.push(entries);
    for (const { message } of entries) {
      if (message === undefined) continue;
      // Halved: the count is an estimate, and reading too much is only a little slower.
      tokens += estimateTokens(message) / 2;
      userSeen ||= isRealUser(message);
    }
    const oldest = page.entries[0]?.seq;
    if (!page.more || oldest === undefined || wanted.length < page.entries.length) break;
    if (tokens > tokensMax && userSeen) break;
    before = oldest;
  }
  return pages.reverse().flat();
}

/** The message that the model sees for an entry, if any. */
function shownAs(entry: Entry): Message | undefined {
  if (entry.kind === "message") return entry.message;
  if (entry.kind !== "branch_summary") return undefined;
  return { role: "user", content: `[Summary of branch ${entry.data.branch}]\n${entry.data.summary}` };
}

async function summaryOf(
  store: StoreAccess,
  id: string,
  compaction: Compaction,
): Promise<{ id: string; text: string } | undefined> {
  const data = (await entryAt(store, id, compaction.seq))?.data;
  const text = isPlainObject(data) ? data.summary : undefined;
  if (typeof text !== "string") {
    throw unavailable(
      `The summary of compaction ${compaction.id} cannot be read. Undo the compaction to continue`,
    );
  }
  return { id: compaction.id, text };
}
