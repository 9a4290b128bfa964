/**
 * A fork that is imported before the session that it was forked from is a conversation of its own. When the session
 * is there, the fork becomes a part of its conversation, and the former one goes to the trash, unless the user has
 * changed or deleted it. The store decides, and the ledger only knows what an import left there.
 */
import { existsSync } from "node:fs";
import type { ConversationInfo } from "../../../engine/index.ts";
import { splitMark } from "../../../key/copies.ts";
import type { StoredEntry } from "../../../message/types.ts";
import { provenanceIn } from "../../../store/originals/provenance.ts";
import type { Ingest } from "../../../store/write/ingest.ts";
import { isPlainObject } from "../../../util/json.ts";
import type { Base, BaseFile } from "../../contract/format.ts";
import { conversationIdOf, isMadeId } from "../../contract/ids.ts";
import type { SourceFile } from "../../sources/types.ts";
import { begunOf } from "../begun.ts";
import type { RememberedConversation } from "../ledger/conversations.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { fileName } from "../original/file-name.ts";
import { keyOf } from "../writer/conversation-start.ts";
import type { Mode } from "../writer/entry-intake.ts";
import { isFinal } from "../writer/known-entries.ts";
import { titleMark } from "../writer/title.ts";

/** What the file of a fork is read with. */
export interface Fork {
  /** The file that it continues, unless it stays a conversation of its own. */
  readonly base: BaseFile | undefined;
  readonly awaits: string | undefined;
  /** The conversation that it was without that file, if it is one no longer. */
  readonly former: RememberedConversation | undefined;
  /** Whether it stays a conversation of its own is decided in the second pass. */
  readonly isOpen?: true;
}

interface ForkJob {
  readonly ingest: Ingest;
  readonly ledger: Ledger;
  readonly mode: Mode;
  /** The user wants everything imported again. */
  readonly again: boolean;
  /** Forks that were read in this run, and whether each stays a conversation of its own. */
  readonly isApart: Map<string, boolean>;
  /** The user wants nothing of a file. */
  readonly isForgotten: (path: string) => boolean;
  /** The user changed it, so it stays a conversation of its own. */
  readonly onApart: () => void;
}

export async function forkOf(job: ForkJob, file: SourceFile, format: string, base: Base): Promise<Fork> {
  const fork = await placedFork(job, file, format, base);
  job.isApart.set(file.path, base.file !== undefined && fork.base === undefined);
  return fork;
}

async function placedFork(job: ForkJob, file: SourceFile, format: string, base: Base): Promise<Fork> {
  const { ingest, ledger, mode, again } = job;
  const { awaits } = base;
  if (base.file === undefined) return { base: undefined, awaits, former: undefined };
  const known = ledger.conversations.bySourceId(file.path, base.sourceId);
  const former = known?.id ?? conversationIdOf(format, base.alone);
  const whole = conversationIdOf(format, base.file.root);
  const basePath = file.around.pathOf(base.file.name);
  if (isElsewhere(job, basePath, whole)) return (await partElsewhere(job, file, base.file, former)) ?? ALONE;
  const left = known ?? ledger.conversations.of(former).find(({ isFormer }) => !isFormer);
  const joined: Fork = { base: base.file, awaits, former: former === whole ? undefined : left };
  if (former === whole || (await isPart(job, whole, former, file))) return joined;
  // What it continues has moved since, and it moves along.
  const moved = ledger.get(basePath)?.former;
  if (moved !== undefined && (await isPart(job, moved.id, former, file))) return { ...joined, former: moved };
  const info = await ingest.find(former);
  if (info === undefined && !(await ingest.wasPurged(former))) {
    const session = await ingest.find(whole);
    // The user deleted or forgot its session, and not what was written after that.
    const isLeft = session === undefined ? job.isForgotten(basePath) : session.deletedAt !== null;
    return isLeft && !again && !(await ingest.wasPurged(whole)) ? ALONE : joined;
  }
  const isLive = info?.deletedAt === null;
  // A killed import has not told the ledger what it left, or the ledger is lost: reading the fork tells it again.
  const isUnknown = isLive && mode === "write" && ledger.conversations.of(former).length === 0;
  if (isUnknown && (again || !(await isUnwanted(ingest, whole)))) {
    return { base: undefined, awaits: base.sourceId, former: undefined, isOpen: true };
  }
  if (again && (await mayReturn(ingest, info))) return joined;
  if (!isLive) return ALONE;
  if (again || mode !== "write" || (await isUnwanted(ingest, whole))) return apart(job);
  return (await isUntouched(ingest, ledger, info)) ? joined : apart(job);
}

const ALONE: Fork = { base: undefined, awaits: undefined, former: undefined };

function apart({ mode, onApart }: ForkJob): Fork {
  if (mode === "write") onApart();
  return ALONE;
}

/** The file that it continues is a conversation of its own, and not a part of the whole. */
function isElsewhere({ ledger, isApart }: ForkJob, path: string, whole: string): boolean {
  const isRead = isApart.get(path);
  if (isRead !== undefined) return isRead;
  if (begunOf(ledger, path) !== undefined) return false;
  const known = [...ledger.conversations.ofFile(path)];
  return known.length > 0 && !known.some(({ id }) => id === whole);
}

/** An earlier import joined it to that conversation: its own one is in the trash, where new lines would be lost. */
async function partElsewhere(
  job: ForkJob,
  file: SourceFile,
  base: BaseFile,
  former: string,
): Promise<Fork | undefined> {
  for (const { id, sourceId, root = sourceId } of job.ledger.conversations.ofFile(
    file.around.pathOf(base.name),
  )) {
    const isJoined = id !== former && (await isPart(job, id, former, file));
    if (isJoined) return { base: { ...base, root }, awaits: undefined, former: undefined };
  }
  return undefined;
}

/** An earlier import has joined it, perhaps under another name of its file. */
async function isPart(
  { ingest, ledger }: ForkJob,
  whole: string,
  former: string,
  { relative }: SourceFile,
): Promise<boolean> {
  if (ledger.conversations.of(former).some(({ isFormer }) => isFormer)) return true;
  return (await ingest.originals(whole, { trash: true })).some(
    ({ file }) => fileName(file) === fileName(relative),
  );
}

/** With `--again`, what the user deleted comes back, but no words that were erased. */
async function mayReturn(ingest: Ingest, info: ConversationInfo | undefined): Promise<boolean> {
  return info === undefined || !(await hasErased(ingest, info.id));
}

/** The user deleted it. */
async function isUnwanted(ingest: Ingest, id: string): Promise<boolean> {
  const info = await ingest.find(id);
  return info === undefined ? ingest.wasPurged(id) : info.deletedAt !== null;
}

async function hasErased(ingest: Ingest, id: string): Promise<boolean> {
  for await (const entry of ingest.log(id, 0, { trash: true })) if (isFinal(entry)) return true;
  return false;
}

/** Whether nothing but imports has written to it. */
async function isUntouched(ingest: Ingest, ledger: Ledger, info: ConversationInfo): Promise<boolean> {
  const { id, key, title, profileId, contextState, deletedAt } = info;
  if (deletedAt !== null || profileId !== null || contextState !== null) return false;
  const known = ledger.conversations.of(id);
  const [plain] = splitMark(key ?? "");
  const isKey = known.some(({ format, sourceId, root = sourceId }) =>
    [sourceId, root].some((name) => keyOf(format, { sourceId: name }) === plain),
  );
  if (!isKey || !known.some((one) => one.titleMark === titleMark(id, title))) return false;
  for await (const entry of ingest.log(id, 0)) if (!isOfImport(entry)) return false;
  return true;
}

/** Made of a record, or by the import itself, and unchanged. */
function isOfImport(entry: StoredEntry): boolean {
  // One that another replaced has been erased by an import.
  if (isPlainObject(entry.data) && entry.data.type === "original") return true;
  return !isFinal(entry) && (provenanceIn(entry).import !== undefined || isMadeId(entry.id));
}

/**
 * All of the fork is in the other conversation: move its former one to the trash, if nothing else is in it.
 * `put` tells the ledger. Of several forks that were in it, the last one decides, so they come one after another.
 */
export function retire(
  ingest: Ingest,
  ledger: Ledger,
  former: string,
  path: string,
  put: () => void,
): Promise<boolean> {
  return ingest.alone(async () => {
    const isRetired = await moveToTrash(ingest, ledger, former, path);
    put();
    return isRetired;
  });
}

async function moveToTrash(ingest: Ingest, ledger: Ledger, former: string, path: string): Promise<boolean> {
  const info = await ingest.find(former);
  if (info === undefined || (await hasOthers(ingest, ledger, former, path))) return false;
  if (!(await isUntouched(ingest, ledger, info))) return false;
  const trashed = await ingest.trash(former);
  // Another process may have written to it until it was in the trash.
  const isSame = trashed.head === info.head && trashed.messageCount === info.messageCount;
  if (!isSame) await ingest.restore(former);
  return isSame;
}

/** Whether other files are in the conversation, also such as the ledger does not know. */
async function hasOthers(ingest: Ingest, ledger: Ledger, id: string, path: string): Promise<boolean> {
  const known = ledger.conversations.of(id);
  const hasMoved = (former: string): boolean => fileName(former) === fileName(path) && !existsSync(former);
  if (known.some((one) => one.path !== path && !one.isFormer && !hasMoved(one.path))) return true;
  const names = new Set([path, ...known.map((one) => one.path)].map(fileName));
  const originals = await ingest.originals(id);
  return originals.some(({ form, file }) => form === "lines" && !names.has(fileName(file)));
}
