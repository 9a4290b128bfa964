/**
 * Joins one conversation into another, as a branch that starts before its first entry.
 *
 * Contract: nothing is lost, at any moment. Entries keep their ids, so that a
 * join that was cut off continues where it stopped. Only when all of them are
 * durable is the conversation moved to the trash, complete as it was.
 */

import { ColloquyError } from "../../errors.ts";
import { TextPlaceholders } from "../../formats/import/text-placeholders.ts";
import { EntryIntake } from "../../formats/import/writer/entry-intake.ts";
import { REMOVED_KIND } from "../../message/entry.ts";
import type { ConversationInfo } from "../../store/index.ts";
import type { ExportEntry, Snapshot } from "../../store/read/snapshot.ts";
import type { Store } from "../../store/store.ts";
import type { Ingest } from "../../store/write/ingest.ts";
import { isOffPath } from "../../tree/control.ts";
import { branchById, MAIN_NAME } from "../../tree/tree.ts";
import { isPlainObject, type JsonObject } from "../../util/json.ts";

const NAME_BYTES_MAX = 200;
const AT_ONCE_ENTRIES = 500;
/** A writer that never stops must not keep the join running for ever. */
const ATTEMPTS = 5;

export async function joinConversations(store: Store, into: string, from: string): Promise<void> {
  const ingest = store.ingest();
  for (let attempt = 1; ; attempt++) {
    const snapshot = await store.snapshot(from);
    if ((await (await store.get(from))?.turn()) !== undefined) throw turnUnderWay(from);
    await copyEntries(ingest, into, snapshot);
    await adoptTitle(ingest, into, snapshot);
    await ingest.trash(from);
    // Another process may have written to it until it was in the trash.
    const left = await ingest.find(from);
    const isSame = left === undefined || stateOf(left) === stateOf(snapshot.info);
    if (isSame || attempt === ATTEMPTS) return;
    await ingest.restore(from);
  }
}

function stateOf({ head, messageCount, branchCount }: ConversationInfo): string {
  return JSON.stringify([head, messageCount, branchCount]);
}

async function copyEntries(ingest: Ingest, into: string, snapshot: Snapshot): Promise<void> {
  const { info } = snapshot;
  const intake = new EntryIntake(
    {
      ...{ ingest, mode: "write", id: into, format: "colloquy", resumeAfter: undefined },
      placeholders: new TextPlaceholders(ingest),
      unresolved: () => {},
      missing: () => {},
    },
    () => undefined,
  );
  await intake.tree.load(undefined);
  const origin = { format: "colloquy", file: info.id, around: NOWHERE };
  let after: string | null = null;
  let count = 0;
  for await (const entry of snapshot.log()) {
    if (!isKept(entry)) continue;
    const bytes = JSON.stringify(entry.message ?? entry.data ?? null).length;
    const source = { ...sourceOf(entry), branch: nameOf(snapshot, entry.branch) };
    const parent = entry.kind === "label" ? after : entry.parentId;
    await intake.take({ entry: source, parent, after, bytes, notes: [], origin });
    after = entry.id;
    if (++count % AT_ONCE_ENTRIES === 0) await intake.tree.settle();
  }
  await intake.tree.settle();
}

/** Changes of the tree are not copied: the branches that result from them are. */
function isKept({ kind, data }: ExportEntry): boolean {
  return kind !== REMOVED_KIND && (kind === "label" || !isOffPath(kind, objectOf(data)));
}

type Source = Parameters<EntryIntake["take"]>[0]["entry"];

function sourceOf({ id, kind, at, message, data }: ExportEntry): Source {
  const plain = { id, at: Date.parse(at), records: [], verbatim: true } as const;
  if (message !== undefined) return { ...plain, message };
  return { ...plain, kind: kind as NonNullable<Source["kind"]>, data: objectOf(data) };
}

function objectOf(data: unknown): JsonObject {
  return isPlainObject(data) ? (data as JsonObject) : { value: (data ?? null) as JsonObject };
}

/** The name of a branch in the joined conversation: the former key, and its name there. */
function nameOf({ info, tree }: Snapshot, branch: number): string {
  const name = branchById(tree, branch)?.name ?? MAIN_NAME;
  const joined = `joined ${info.key ?? info.id}${name === MAIN_NAME ? "" : ` ${name}`}`;
  return Buffer.byteLength(joined) <= NAME_BYTES_MAX ? joined : `joined ${info.id} ${branch}`;
}

async function adoptTitle(ingest: Ingest, into: string, { info }: Snapshot): Promise<void> {
  const target = await ingest.find(into);
  if (info.title !== null && target?.title === null) await ingest.update(into, { title: info.title });
}

const NOWHERE = {
  path: "",
  modifiedMs: 0,
  read: async () => undefined,
  list: async () => [],
};

function turnUnderWay(id: string): ColloquyError {
  return new ColloquyError("CONFLICT", `An answer is in progress in conversation ${id}: wait until it ends`);
}
