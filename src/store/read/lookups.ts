/** Lookups in one conversation that several modules need. */
import { type ConversationInfo, notFound } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import type { Entry, StoredEntry } from "../../message/types.ts";
import { noBranch } from "../../tree/control.ts";
import type { SeqRange } from "../../tree/path.ts";
import type { LogEnd } from "../../tree/place-entries.ts";
import { type Branch, branchByName, type Tree } from "../../tree/tree.ts";
import { copyOf, type StoreAccess } from "../access.ts";
import { readEntries } from "./entries.ts";

/** Fails with `NOT_FOUND` if the conversation does not exist or is in the trash. */
export async function infoOf(store: StoreAccess, id: string): Promise<ConversationInfo> {
  const info = await store.ask((engine) => engine.byId(id));
  if (info === undefined || info.deletedAt !== null) throw notFound(id);
  return copyOf(info);
}

/** The end of the log of a conversation, with its tree. */
export async function logEndOf(store: StoreAccess, id: string): Promise<LogEnd> {
  const logEnd = await store.ask((engine) => engine.logEnd(id));
  if (logEnd === undefined) throw notFound(id);
  return logEnd;
}

/** One entry by its number, on any branch. */
export async function entryAt(
  store: Pick<StoreAccess, "ask">,
  conversation: string,
  seq: number,
): Promise<StoredEntry | undefined> {
  const { entries } = await store.ask((engine) =>
    engine.page({
      conversation,
      direction: "forward",
      from: seq - 1,
      limit: 1,
      bytesMax: 1,
      branch: null,
    }),
  );
  return entries[0]?.seq === seq ? entries[0] : undefined;
}

export async function findEntry(
  store: StoreAccess,
  conversation: string,
  id: string,
): Promise<StoredEntry | undefined> {
  const seq = await store.ask((engine) => engine.locate(conversation, id));
  return seq === undefined ? undefined : entryAt(store, conversation, seq);
}

export function noEntry(conversation: string, id: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no entry ${id} in conversation ${conversation}`);
}

/** Entries on the path of a branch, by their `seq`. */
export async function readRanges(
  store: StoreAccess,
  conversation: string,
  branch: string | number,
  ranges: readonly SeqRange[],
): Promise<Entry[]> {
  return readEntries(store, await storedRanges(store, conversation, branch, ranges));
}

/** The same as they are stored, with their large parts as references. */
export async function storedRanges(
  store: StoreAccess,
  conversation: string,
  branch: string | number,
  ranges: readonly SeqRange[],
): Promise<StoredEntry[]> {
  const found: StoredEntry[] = [];
  for (const [from, to] of ranges) {
    for (let after = from - 1; after < to; ) {
      const { entries, more } = await store.ask((engine) =>
        engine.page({
          conversation,
          direction: "forward",
          from: after,
          limit: Math.min(1000, to - after),
          bytesMax: 16 * 1024 * 1024,
          branch,
        }),
      );
      found.push(...entries.filter(({ seq }) => seq <= to));
      after = more ? (entries.at(-1)?.seq ?? to) : to;
    }
  }
  return found;
}

export function branchNamed(tree: Tree, name: string): Branch {
  const branch = branchByName(tree, name);
  if (branch === undefined) throw noBranch(name);
  return branch;
}
