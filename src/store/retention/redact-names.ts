/** Erases names: of branches, of labels, and the session key. */
import { type Removed, receipt } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import type { StoredEntry } from "../../message/types.ts";
import { MAIN_NAME } from "../../tree/tree.ts";
import { isPlainObject, type JsonObject } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import type { StoreAccess } from "../access.ts";
import type { Receipt } from "./receipt.ts";

const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 8 * 1024 * 1024;

/** The content of an entry without the name. `undefined` if the entry does not hold it. */
type Renamed = (entry: StoredEntry, data: JsonObject, at: string) => JsonObject | undefined;

/**
 * Erase the name of a branch wherever the conversation repeats it, even if the
 * branch was pruned. The branch is called `redacted-<n>` from then on.
 */
export async function redactBranch(store: StoreAccess, id: string, name: string): Promise<Receipt> {
  const renamed: Renamed = (entry, data, at) =>
    entry.kind === "info" ? renamedInfo(entry, data, name, at) : renamedSummary(data, name);
  const found = await eraseName(store, id, ["branch_summary", "info"], renamed);
  if (found !== undefined) return found;
  throw new ColloquyError("NOT_FOUND", `No entry of conversation ${id} names a branch ${name}`, {
    field: "branch",
  });
}

/** Remove every label with this text, current or former. */
export async function redactLabel(store: StoreAccess, id: string, label: string): Promise<Receipt> {
  const renamed: Renamed = (_, data, at) =>
    data.label === label ? { entry: data.entry ?? null, label: null, redacted_at: at } : undefined;
  const found = await eraseName(store, id, ["label"], renamed);
  if (found !== undefined) return found;
  throw new ColloquyError("NOT_FOUND", `No entry of conversation ${id} has or had the label ${label}`, {
    field: "label",
  });
}

export async function redactKey(store: StoreAccess, id: string): Promise<Receipt> {
  const at = isoTime(store.nowMs());
  const removed = await store.search.erasing(id, 0, () =>
    store.queue.push({ type: "set-key", conversation: id, key: null, at }),
  );
  return { id, at, ...removed };
}

/** The branch name that an entry holds, if there is one that a caller chose. */
export function branchNameIn({ kind, data }: StoredEntry): string | undefined {
  if (kind !== "info" || !isPlainObject(data)) return undefined;
  const name = data.type === "branch" || data.type === "checkout" ? data.name : undefined;
  return typeof name === "string" && name !== MAIN_NAME ? name : undefined;
}

/** Numbers are unique in a conversation, so the new name of a branch is too. */
function redactedName(seq: unknown): string {
  return `redacted-${seq}`;
}

/** Only the properties that the tree is built from stay. */
function renamedInfo(
  { seq }: StoredEntry,
  data: JsonObject,
  name: string,
  at: string,
): JsonObject | undefined {
  const { type, from = null, from_seq = 0, checkout = false, branch = null, former } = data;
  if (data.name !== name && former !== name) return undefined;
  const kept = former === undefined ? {} : { former: former === name ? redactedName(seq) : former };
  switch (type) {
    case "branch": {
      const own = data.name === name ? redactedName(seq) : (data.name ?? MAIN_NAME);
      return { type, name: own, from, from_seq, checkout, ...kept, redacted_at: at };
    }
    case "checkout":
      return { type, branch, name: redactedName(branch), redacted_at: at };
    case "flatten":
      return { type, branch, ...kept, redacted_at: at };
    default:
      return undefined;
  }
}

/** It is not marked as redacted, because its summary is still there. */
function renamedSummary(data: JsonObject, name: string): JsonObject | undefined {
  return data.branch === name ? { ...data, branch: "redacted" } : undefined;
}

/** Redact every entry that holds the name, in one commit. `undefined` if there is none. */
async function eraseName(
  store: StoreAccess,
  id: string,
  kinds: readonly string[],
  renamed: Renamed,
): Promise<Receipt | undefined> {
  const at = isoTime(store.nowMs());
  const found: { entry: StoredEntry; json: string }[] = [];
  for (const kind of kinds) {
    for await (const entry of entriesOf(store, id, kind)) {
      const data = isPlainObject(entry.data) ? renamed(entry, entry.data as JsonObject, at) : undefined;
      if (data !== undefined) found.push({ entry, json: JSON.stringify(data) });
    }
  }
  if (found.length === 0) return undefined;
  // The entry that made the branch last: after a crash in between, a second call finds the name again.
  const inOrder = found.reverse();
  const redact = ({ entry, json }: (typeof inOrder)[number]): Promise<Removed> =>
    store.queue.push({ type: "redact", conversation: id, entry: entry.id, json, at });
  const removed = await store.queue.together(() => Promise.all(inOrder.map(redact)));
  return { id, at, ...total(removed) };
}

function total(all: readonly Removed[]): Removed {
  const entries = all.reduce((sum, one) => sum + one.entries, 0);
  const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  return receipt(entries, bytes, [], [...new Set(all.flatMap(({ copies }) => copies))]);
}

/** Every entry of one kind, on any branch or none. */
async function* entriesOf(
  store: StoreAccess,
  conversation: string,
  kind: string,
): AsyncGenerator<StoredEntry, void, undefined> {
  for (let from: number | null = null, more = true; more; ) {
    const page = await store.ask((engine) =>
      engine.page({
        ...{ conversation, direction: "forward", from, kind, branch: null },
        ...{ limit: PAGE_ENTRIES, bytesMax: PAGE_BYTES },
      }),
    );
    yield* page.entries;
    from = page.entries.at(-1)?.seq ?? from;
    more = page.more && page.entries.length > 0;
  }
}
