/** One entry of ours, from a document or from a line. */

import { contentWith, roleOf } from "../../../message/apis/flat-tools.ts";
import { REMOVED_KIND } from "../../../message/entry.ts";
import type { Message } from "../../../message/types.ts";
import { isAnnouncement } from "../../../store/originals/announcement.ts";
import { isOffPath } from "../../../tree/control.ts";
import { MAIN_NAME } from "../../../tree/tree.ts";
import { defined, type JsonObject } from "../../../util/json.ts";
import { isUuid } from "../../../util/uuid.ts";
import { filledIn, objectIn, textIn, timeIn } from "../../../util/values.ts";
import type { ConversationSink, Sink, SourceEntry, SourceRecord } from "../../contract/reader.ts";
import type { OddParents } from "./odd-parents.ts";

export interface EntryTarget {
  readonly sink: Sink;
  readonly conversation: ConversationSink;
  /** The conversation was written by Colloquy itself. */
  readonly verbatim: boolean;
  /** What is wrong with the parents of its entries. */
  readonly odd: OddParents;
  /** The names of its branches, by number. */
  readonly branchName: (branch: number) => string | undefined;
}

const KINDS: ReadonlySet<string> = new Set([
  "message",
  "compaction",
  "branch_summary",
  "label",
  "info",
  "custom",
]);

/**
 * `entry` has the properties of a document: `id`, `parentId`, `kind`, `at`, `message` or `data`.
 * The second entry of a record has no record.
 */
export function addColloquyEntry(
  entry: JsonObject,
  record: SourceRecord | undefined,
  target: EntryTarget,
): void {
  const { conversation, sink } = target;
  const kind = textIn(entry.kind) ?? "message";
  const data = objectIn(entry.data);
  const id = filledIn(entry.id);
  const isKept = kind === "label" || (target.verbatim && isAnnouncement(kind, data));
  // The branches show the changes of the tree, and `removed` is empty.
  if (id === undefined || kind === REMOVED_KIND || (!isKept && isOffPath(kind, data))) {
    if (record !== undefined) conversation.note(record);
    return;
  }
  if (!KINDS.has(kind)) sink.unknown(kind);
  const oddity = target.odd.of(id);
  conversation.add({
    id,
    ...(kind === "label" || oddity !== undefined ? {} : parentIn(entry)),
    at: timeIn(entry.at),
    ...contentOf(kind, entry, data),
    records: record === undefined ? [] : [record],
    ...(target.verbatim ? { verbatim: true } : {}),
    ...branchIn(entry, target),
    ...flagsIn(entry, oddity),
  });
}

function parentIn({ parentId }: JsonObject): Pick<SourceEntry, "parent"> {
  return parentId === undefined ? {} : { parent: textIn(parentId) ?? null };
}

/** A branch other than the first may be called `main`; it is renamed at the end. */
function branchIn({ branch }: JsonObject, { branchName }: EntryTarget): Pick<SourceEntry, "branch"> {
  const name = typeof branch === "number" ? branchName(branch) : undefined;
  return name === undefined || name === MAIN_NAME ? {} : { branch: name };
}

/** Short words; anything else has a private meaning. */
function isFlag(flag: unknown): flag is string {
  return typeof flag === "string" && /^[a-z][a-z0-9-]{0,39}$/.test(flag);
}

/** Flags are problems that a store found on reading, such as a missing blob. */
function flagsIn({ flags }: JsonObject, oddity: string | undefined): Pick<SourceEntry, "flags"> {
  const own = Array.isArray(flags) ? flags.filter(isFlag) : [];
  const list = oddity === undefined ? own : [...own, oddity];
  return list.length === 0 ? {} : { flags: list };
}

function contentOf(
  kind: string,
  entry: JsonObject,
  data: JsonObject | undefined,
): Pick<SourceEntry, "kind" | "message" | "data"> {
  if (kind === "message") return { message: messageOf(objectIn(entry.message) ?? {}) };
  if (!KINDS.has(kind)) return { kind: "custom", data: { kind, data: entry.data ?? null } };
  return { kind: kind as NonNullable<SourceEntry["kind"]>, data: data ?? { value: entry.data ?? null } };
}

function messageOf(message: JsonObject): Message {
  const { role, other } = roleOf(message.role);
  const { model, usage, stopReason, endState, provenance, source, extra } = message;
  const isEnd = endState === "finished" || endState === "stopped" || endState === "interrupted";
  return {
    role,
    content: contentWith(message.content, [], []),
    ...defined({ model: textIn(model), usage: objectIn(usage), stopReason: textIn(stopReason) }),
    ...defined({ endState: isEnd ? endState : undefined, provenance: objectIn(provenance), source }),
    ...defined({
      extra: other === undefined ? objectIn(extra) : { ...objectIn(extra), colloquy: { role: other } },
    }),
  };
}

/** The conversation's id in the store that wrote it. Other programs may use any name. */
export function ownId(sourceId: string): string | undefined {
  return isUuid(sourceId) ? sourceId.toLowerCase() : undefined;
}
