/** Permanent erasure. */
import { purgeMark } from "../../engine/index.ts";
import { ColloquyError, invalid } from "../../errors.ts";
import { isRedacted } from "../../message/redacted.ts";
import type { Message, StoredEntry } from "../../message/types.ts";
import { checkEntryId, checkLabel, checkProperties } from "../../message/validate.ts";
import { isPlainObject } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import type { StoreAccess } from "../access.ts";
import { eraseFromOriginals } from "../originals/erase-originals.ts";
import { findEntry, infoOf, noEntry } from "../read/lookups.ts";
import { eraseFromLedger } from "./import-ledger.ts";
import type { Receipt } from "./receipt.ts";
import { branchNameIn, redactBranch, redactKey, redactLabel } from "./redact-names.ts";

const REDACTED = "[redacted]";

/** What to erase: an entry by its id, the name of a branch, the text of a label, or the session key. */
export type RedactTarget =
  | string
  | { readonly branch: string }
  | { readonly label: string }
  | { readonly key: true };

export async function redact(store: StoreAccess, id: string, target: RedactTarget): Promise<Receipt> {
  const checked = typeof target === "string" ? checkEntryId(target) : checkTarget(target);
  store.assertWritable();
  const [receipt, ledgers] = await Promise.all([redacted(store, id, checked), eraseFromLedger(store, id)]);
  return { ...receipt, copies: [...receipt.copies, ...ledgers] };
}

type CheckedTarget = string | ["branch" | "label", string] | ["key"];

async function redacted(store: StoreAccess, id: string, target: CheckedTarget): Promise<Receipt> {
  if (typeof target === "string") return redactEntry(store, id, target);
  const [name, value] = target;
  await infoOf(store, id);
  if (name === "key") return redactKey(store, id);
  return name === "branch" ? redactBranch(store, id, value) : redactLabel(store, id, value);
}

function checkTarget(target: unknown): Exclude<CheckedTarget, string> {
  checkProperties(target, TARGETS, "target");
  const [given, ...others] = Object.entries(target as object);
  if (given === undefined || others.length > 0) {
    throw invalid("Specify what to redact: the id of an entry, or one of branch, label and key", "target");
  }
  const [name, value] = given;
  if (name === "key" && value !== true) throw invalid("key must be true", "key");
  return name === "key" ? [name] : [name as "branch" | "label", checkLabel(value, name)];
}

const TARGETS: ReadonlySet<string> = new Set(["branch", "label", "key"]);

/** Erase the content of an entry. The entry stays in place, marked as redacted. */
async function redactEntry(store: StoreAccess, id: string, checked: string): Promise<Receipt> {
  const entry = await findEntry(store, id, checked);
  if (entry === undefined) throw noEntry(id, checked);
  const at = isoTime(store.nowMs());
  if (isRedacted(entry)) {
    const { files, blobs, bytes } = await store.ask((engine) => engine.erase());
    return { id, at, entries: 0, blobs, bytes, copies: files };
  }
  const name = branchNameIn(entry);
  if (name !== undefined) return redactBranch(store, id, name);
  const json = JSON.stringify(
    entry.message === undefined ? redactedData(entry, at) : redactedMessage(entry.message, at),
  );
  const removed = await store.search.erasing(id, entry.seq, async () => {
    const originals = await eraseFromOriginals(store, id, [entry], store.nowMs());
    const [removed] = await store.queue.together(() =>
      Promise.all([
        store.queue.push({ type: "redact", conversation: id, entry: checked, json, at }),
        ...originals.map((operation) => store.queue.push(operation)),
      ]),
    );
    return removed;
  });
  return { id, at, ...removed };
}

/** See `store.wasPurged`. */
export async function wasPurged(store: StoreAccess, id: string): Promise<boolean> {
  const mark = purgeMark(id);
  const [found] = await store.ask((engine) => engine.purged(mark, 1));
  return found === mark;
}

function redactedMessage({ role }: Message, at: string): Message {
  return { role, content: REDACTED, extra: { colloquy: { redactedAt: at } } };
}

/** They hold only numbers, and names that the store chose. */
const TREE_CHANGES: ReadonlySet<unknown> = new Set([
  "branch",
  "checkout",
  "flatten",
  "prune",
  "undo-compaction",
]);

/** Data that the tree is built from stays: the position of a summary is not its content. */
function redactedData({ kind, data }: StoredEntry, at: string): object {
  if (!isPlainObject(data)) return { redacted_at: at };
  if (kind === "label") return { entry: data.entry, label: null, redacted_at: at };
  if (kind === "info" && data.type === "turn") {
    return { type: "turn", turn: data.turn, state: data.state, redacted_at: at };
  }
  if (kind === "info" && TREE_CHANGES.has(data.type)) {
    throw new ColloquyError(
      "NOT_SUPPORTED",
      `An entry of type ${data.type} holds nothing that can be redacted`,
      {
        field: "entryId",
      },
    );
  }
  if (kind === "info") return { type: data.type, redacted_at: at };
  const { first_kept, first_kept_seq } = data;
  const place = first_kept_seq === undefined ? {} : { first_kept, first_kept_seq };
  return { summary: REDACTED, ...place, redacted_at: at };
}
