/**
 * Joins one conversation into another, as a branch that starts before its first entry.
 *
 * Contract: nothing is lost, at any moment. Entries keep their ids, so that a
 * join that was cut off continues where it stopped. Only when all of them are
 * durable is the conversation moved to the trash, complete as it was.
 */

import { isDeepStrictEqual } from "node:util";
import { activeAt } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import { madeId } from "../../formats/contract/ids.ts";
import type { Surroundings } from "../../formats/contract/reader.ts";
import { TextPlaceholders } from "../../formats/import/text-placeholders.ts";
import { EntryIntake } from "../../formats/import/writer/entry-intake.ts";
import { REMOVED_KIND } from "../../message/entry.ts";
import type { ConversationInfo } from "../../store/index.ts";
import { isAnnouncement } from "../../store/originals/announcement.ts";
import type { ExportEntry, Snapshot } from "../../store/read/snapshot.ts";
import type { Store } from "../../store/store.ts";
import type { Ingest } from "../../store/write/ingest.ts";
import { isOffPath } from "../../tree/control.ts";
import { branchById, liveBranches, MAIN_NAME } from "../../tree/tree.ts";
import { isPlainObject, type JsonObject } from "../../util/json.ts";

const NAME_BYTES_MAX = 200;
const AT_ONCE_ENTRIES = 500;
/** A writer that never stops must not keep the join running for ever. */
const ATTEMPTS = 5;

/** Returns what the joined branches do not show as it was. */
export async function joinConversations(store: Store, into: string, from: string): Promise<string[]> {
  const ingest = store.ingest();
  for (let attempt = 1; ; attempt++) {
    const snapshot = await store.snapshot(from);
    if ((await (await store.get(from))?.turn()) !== undefined) throw turnUnderWay(from);
    const notes = await copyConversation(ingest, into, snapshot);
    await adoptTitle(ingest, into, snapshot);
    await ingest.trash(from);
    // Another process may have written to it until it was in the trash.
    const left = await ingest.find(from);
    const isSame = left === undefined || stateOf(left) === stateOf(snapshot.info);
    if (isSame || attempt === ATTEMPTS) return notes;
    await ingest.restore(from);
  }
}

function stateOf({ head, messageCount, branchCount }: ConversationInfo): string {
  return JSON.stringify([head, messageCount, branchCount]);
}

async function copyConversation(ingest: Ingest, into: string, snapshot: Snapshot): Promise<string[]> {
  const intake = new EntryIntake(
    {
      ...{ ingest, mode: "write", id: into, format: "colloquy", resumeAfter: undefined },
      mayWrite: Promise.resolve(),
      placeholders: new TextPlaceholders(ingest),
      unresolved: () => {},
      missing: () => {},
    },
    () => undefined,
  );
  await intake.tree.load(undefined);
  const written = await copyEntries(intake, snapshot, await numbersBefore(ingest, into, snapshot));
  const state = await copyState(intake, snapshot, (await ingest.find(into)) as ConversationInfo);
  await intake.tree.settle();
  const missing = await copyEmptyBranches(intake, snapshot, written);
  return [...state, ...missing, ...(await undoCompactions(ingest, intake, snapshot, into))];
}

/** How many numbers of originals are in use, without those of a join that was cut off. */
async function numbersBefore(ingest: Ingest, into: string, { info }: Snapshot): Promise<number> {
  const there = await ingest.originals(into);
  const numbers = new Map(
    there.flatMap(({ number, announcements }) => announcements.map(({ entry }) => [entry, number])),
  );
  for (const { number, announcements } of await ingest.originals(info.id)) {
    const copy = announcements.map(({ entry }) => numbers.get(entry)).find((found) => found !== undefined);
    if (copy !== undefined) return copy - number;
  }
  return Math.max(0, ...there.map(({ number }) => number));
}

/** Returns the branches that have entries of their own. */
async function copyEntries(
  intake: EntryIntake,
  snapshot: Snapshot,
  originals: number,
): Promise<ReadonlySet<number>> {
  const written = new Set<number>();
  let after: string | null = null;
  let count = 0;
  for await (const entry of snapshot.log()) {
    if (!isKept(entry)) continue;
    const bytes = JSON.stringify(entry.message ?? entry.data ?? null).length;
    const source = { ...sourceOf(renumbered(entry, originals)), branch: nameOf(snapshot, entry.branch) };
    const parent = entry.kind === "label" ? after : entry.parentId;
    await intake.take({ entry: source, parent, after, bytes, ...originOf(snapshot) });
    if (isAnnouncement(entry.kind, entry.data)) continue;
    after = entry.id;
    written.add(entry.branch);
    if (++count % AT_ONCE_ENTRIES === 0) await intake.tree.settle();
  }
  await intake.tree.settle();
  return written;
}

/** What is known beside the entries, and differs, is kept in an entry at the end of the first branch. */
async function copyState(
  intake: EntryIntake,
  snapshot: Snapshot,
  target: ConversationInfo,
): Promise<string[]> {
  const { info } = snapshot;
  const differs = BESIDE.some((name) => info[name] !== null && !isDeepStrictEqual(info[name], target[name]));
  if (!differs) return [];
  const { id, key, title, channel, model, profileId: profile_id, contextState: context_state } = info;
  const data = { type: "joined", conversation: id, key, title, channel, model, profile_id, context_state };
  const head = snapshot.described(snapshot.tree.trunk)?.head ?? null;
  const entry: Source = {
    ...{ id: madeId("joined", JSON.stringify(data)), at: Date.parse(activeAt(info)), records: [] },
    ...{ kind: "info", data, verbatim: true, branch: nameOf(snapshot, snapshot.tree.trunk) },
  };
  await intake.take({ entry, parent: head, after: head, bytes: 0, ...originOf(snapshot) });
  // It is about the messages of this branch, so the other conversation does not take it over.
  return context_state === null
    ? []
    : [`the context state of ${entry.branch} is in its last entry and has no effect there`];
}

const BESIDE = ["title", "model", "profileId", "contextState"] as const;

async function copyEmptyBranches(
  { tree }: EntryIntake,
  snapshot: Snapshot,
  written: ReadonlySet<number>,
): Promise<string[]> {
  const notes: string[] = [];
  for (const { id } of liveBranches(snapshot.tree)) {
    const head = snapshot.described(id)?.head ?? null;
    const isNothing = id === snapshot.tree.trunk && head === null;
    if (written.has(id) || isNothing || (await tree.addBranch(nameOf(snapshot, id), head))) continue;
    notes.push(`the branch ${nameOf(snapshot, id)}, which has no entries, starts at one that is lost`);
  }
  return notes;
}

/** A compaction that the other conversation has too, and has not undone, still counts there. */
async function undoCompactions(
  ingest: Ingest,
  { tree }: EntryIntake,
  snapshot: Snapshot,
  into: string,
): Promise<string[]> {
  const notes: string[] = [];
  const { tree: target } = await ingest.logEnd(into);
  const names = new Set(liveBranches(snapshot.tree).map(({ id }) => nameOf(snapshot, id)));
  for (const { id } of snapshot.tree.compactions.filter(({ undone }) => undone)) {
    const found = target.compactions.find((compaction) => compaction.id === tree.resolve(id));
    if (found === undefined || found.undone) continue;
    if (names.has(branchById(target, found.branch)?.name ?? "")) await tree.undo(found.id);
    else notes.push(`the compaction ${id} was undone in ${nameOf(snapshot, snapshot.tree.trunk)} only`);
  }
  return notes;
}

type Queued = Parameters<EntryIntake["take"]>[0];

function originOf({ info }: Snapshot): Pick<Queued, "origin" | "originals" | "form" | "at"> {
  const origin = { format: "colloquy", file: info.id, around: NOWHERE };
  return { origin, originals: undefined, form: undefined, at: [] };
}

/** Changes of the tree are not copied: the branches that result from them are. */
function isKept({ kind, data }: ExportEntry): boolean {
  if (kind === REMOVED_KIND) return false;
  return kind === "label" || isAnnouncement(kind, data) || !isOffPath(kind, objectOf(data));
}

/** The originals of the other conversation have the first numbers. */
function renumbered(entry: ExportEntry, originals: number): ExportEntry {
  const { kind, message, data } = entry;
  const moved = (number: unknown): number => Number(number) + originals;
  if (isAnnouncement(kind, data) && typeof data.original === "number") {
    const base = isPlainObject(data.after) ? data.after : undefined;
    const after = base && { ...base, original: moved(base.original) };
    return { ...entry, data: { ...data, original: moved(data.original), ...(after && { after }) } };
  }
  const value = message ?? objectOf(data);
  const provenance = isPlainObject(value?.provenance) ? value.provenance : undefined;
  if (typeof provenance?.original !== "number") return entry;
  const own = { provenance: { ...provenance, original: moved(provenance.original) } as JsonObject };
  return message === undefined
    ? { ...entry, data: { ...objectOf(data), ...own } }
    : { ...entry, message: { ...message, ...own } };
}

type Source = Queued["entry"];

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

const NOWHERE: Surroundings = {
  path: "",
  modifiedMs: 0,
  read: async () => undefined,
  list: async () => [],
  async *records() {},
  stamp: () => "",
  beyond: () => NOWHERE,
  pathOf: (name) => name,
};

function turnUnderWay(id: string): ColloquyError {
  return new ColloquyError("CONFLICT", `An answer is in progress in conversation ${id}: wait until it ends`);
}
