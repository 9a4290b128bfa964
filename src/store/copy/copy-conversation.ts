/** Copies one conversation to another store: the same log under the same id. */

import { isDeepStrictEqual } from "node:util";
import type { AppendOperation, ConversationInfo, NewEntry, UpdatePatch } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import { titleIn } from "../../message/title.ts";
import type { StoreAccess } from "../access.ts";
import type { BlobCarrier } from "./copy-blobs.ts";
import { type CopiedEntry, infoText, LogHash, storedLog } from "./copy-log.ts";

export interface CopyUse {
  readonly from: StoreAccess;
  readonly to: StoreAccess;
  readonly blobs: BlobCarrier;
  readonly dryRun: boolean;
  /** The session key in the target. */
  readonly key: string | null;
  /** Some entries were read, compared or written. Throws to stop. */
  step(entries: number): void;
}

export interface Copied {
  readonly info: ConversationInfo;
  readonly entries: number;
  /** Entries that were new in the target. */
  readonly added: number;
  /** Of the content that was read. */
  readonly hash: string;
}

const AT_ONCE_ENTRIES = 512;
const AT_ONCE_CHARS = 8 * 1024 * 1024;
/** A writer that never stops must not keep the copy running for ever. */
const ATTEMPTS = 5;

/** Copy what is missing. Throws `CONFLICT`, and changes nothing, if the id belongs to a different conversation. */
export async function copyConversation(use: CopyUse, id: string): Promise<Copied> {
  let added = 0;
  for (let attempt = 1; ; attempt++) {
    const info = inCopy(use, await existing(use.from, id));
    const log = await new LogCopy(use, info).run();
    added += log.added;
    // Entries that were written to the source meanwhile are copied too.
    const now = inCopy(use, await existing(use.from, id));
    if (!isDeepStrictEqual(now, info) && attempt < ATTEMPTS) continue;
    if (!use.dryRun) await finish(use, info);
    return { info, entries: log.hash.entries, added, hash: log.hash.end(info) };
  }
}

/** Stores of earlier versions accepted titles that cannot be shown. */
function inCopy({ key }: CopyUse, info: ConversationInfo): ConversationInfo {
  return { ...info, key, title: titleIn(info.title) };
}

/** The hash of a conversation's content in one store. */
export async function contentHash(
  store: StoreAccess,
  id: string,
): Promise<{ hash: string; entries: number }> {
  const hash = new LogHash();
  for await (const { entries } of storedLog(store, id)) for (const { text } of entries) hash.add(text);
  return { hash: hash.end(await existing(store, id)), entries: hash.entries };
}

class LogCopy {
  readonly hash: LogHash = new LogHash();
  added = 0;
  readonly #use: CopyUse;
  readonly #info: ConversationInfo;
  #waiting: Promise<unknown>[] = [];
  #waitingChars = 0;
  #group: CopiedEntry[] = [];
  #groupChars = 0;

  constructor(use: CopyUse, info: ConversationInfo) {
    this.#use = use;
    this.#info = info;
  }

  async run(): Promise<this> {
    const { from, to, dryRun } = this.#use;
    const { id } = this.#info;
    const target = await to.ask((engine) => engine.byId(id));
    if (target !== undefined) checkSame(this.#info, target);
    const there = target === undefined ? undefined : entriesOf(to, id);
    let isCreated = target !== undefined;
    for await (const { entries, turn } of readable(storedLog(from, id))) {
      if (turn !== undefined) throw turnUnderWay(turn);
      if (!isCreated && !dryRun) await create(to, this.#info);
      isCreated = true;
      for (const entry of entries) await this.#take(entry, there);
      this.#use.step(entries.length);
    }
    await this.#flush();
    if (there !== undefined && !(await there.next()).done) throw differs("it has other entries");
    return this;
  }

  /** Compare with the copy while it has entries, then write. */
  async #take(stored: CopiedEntry, there: AsyncGenerator<CopiedEntry> | undefined): Promise<void> {
    this.hash.add(stored.text);
    const known = this.added > 0 ? undefined : await there?.next();
    if (known?.value !== undefined) {
      if (known.value.text !== stored.text) throw differs(`its entry ${stored.entry.id} differs`);
      return;
    }
    this.added++;
    if (!this.#use.dryRun) await this.#gather(stored);
  }

  /** An atomic append stays one; entries without an operation are batched, because that is faster. */
  async #gather(stored: CopiedEntry): Promise<void> {
    const [first] = this.#group;
    const isFull = this.#group.length >= AT_ONCE_ENTRIES || this.#groupChars >= AT_ONCE_CHARS;
    const isOther = first !== undefined && first.operationId !== stored.operationId;
    if (isOther || (first?.operationId === undefined && isFull)) await this.#write();
    this.#group.push(stored);
    this.#groupChars += stored.entry.json.length;
  }

  async #write(): Promise<void> {
    const [group, chars] = [this.#group, this.#groupChars];
    if (group.length === 0) return;
    this.#group = [];
    this.#groupChars = 0;
    const { to, blobs } = this.#use;
    const carried = await blobs.carry(group.flatMap((stored) => stored.blobs));
    const pushed = to.queue.push(appendOf(this.#info, group, carried));
    // Thrown once all pending writes have settled.
    pushed.catch(() => {});
    this.#waiting.push(pushed);
    this.#waitingChars += chars + carried.reduce((sum, { data }) => sum + data.length, 0);
    if (this.#waiting.length >= AT_ONCE_ENTRIES || this.#waitingChars >= AT_ONCE_CHARS) await this.#settle();
  }

  async #flush(): Promise<void> {
    await this.#write();
    await this.#settle();
  }

  async #settle(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    for (const result of await Promise.allSettled(waiting))
      if (result.status === "rejected") throw result.reason;
  }
}

/** Unreadable data in one conversation must not stop the copy of the others. */
async function* readable<T>(source: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  for (;;) {
    const { done, value } = await source.next().catch((cause: unknown) => {
      throw new ColloquyError("NOT_FOUND", `Cannot read it: ${(cause as Error).message}`, { cause });
    });
    if (done) return;
    yield value;
  }
}

async function* entriesOf(store: StoreAccess, id: string): AsyncGenerator<CopiedEntry, void, undefined> {
  for await (const { entries } of storedLog(store, id)) yield* entries;
}

function appendOf(
  info: ConversationInfo,
  group: readonly CopiedEntry[],
  blobs: NonNullable<AppendOperation["blobs"]>,
): AppendOperation {
  return {
    type: "append",
    conversation: info.id,
    entries: group.map(({ entry }): NewEntry => entry),
    ...(blobs.length === 0 ? {} : { blobs }),
    operationId: group[0]?.operationId,
    expectedHead: undefined,
    at: info.updatedAt,
  };
}

async function create(store: StoreAccess, info: ConversationInfo): Promise<void> {
  const { id, key, title, channel, model, profileId, createdAt } = info;
  await store.queue.push({
    ...{ type: "create", copied: true, id, idGiven: true, key, title, channel, model, profileId },
    ...{ at: createdAt, resume: false },
  });
}

/** The data beside the entries, and the trash last, because a trashed conversation cannot be written. */
async function finish({ to }: CopyUse, info: ConversationInfo): Promise<void> {
  const { id, title, channel, model, profileId, contextState, deletedAt } = info;
  const target = await existing(to, id);
  if (infoText(target) === infoText(info)) return;
  if (target.deletedAt === null) {
    const patch: UpdatePatch = { title, channel, model, profileId, contextState };
    await to.queue.push({ type: "update", conversation: id, patch, at: info.updatedAt });
    if (deletedAt !== null) await to.queue.push({ type: "trash", conversation: id, at: deletedAt });
  }
}

/**
 * An unfinished or older copy has what the source has, up to where it got. The
 * context state is written last, so it may be missing or that of a former run;
 * of a creation that was cut off an engine may know id, key and time only.
 */
function checkSame(source: ConversationInfo, target: ConversationInfo): void {
  const members = ["key", "createdAt", "title", "channel", "model", "profileId"] as const;
  // Changes in the source are copied; changes in the target stay.
  const compared = target.updatedAt > source.updatedAt ? members : members.slice(0, 2);
  const differing = compared.find((member) => source[member] !== target[member]);
  if (differing !== undefined) throw differs(`its ${differing} differs`);
  if (target.deletedAt !== null && target.deletedAt !== source.deletedAt) throw differs("it is in the trash");
  if (target.updatedAt > source.updatedAt && !isDeepStrictEqual(source.contextState, target.contextState))
    throw differs("its context state differs");
}

function differs(how: string): ColloquyError {
  const message = `A conversation with this id already exists, and ${how}: nothing was overwritten`;
  return new ColloquyError("CONFLICT", message, { field: "id" });
}

function turnUnderWay(turn: string): ColloquyError {
  return new ColloquyError(
    "CONFLICT",
    "An answer is in progress or was left unfinished. End it first: the next write to the conversation seals an unfinished one",
    { field: "turn", details: { turn } },
  );
}

async function existing(store: StoreAccess, id: string): Promise<ConversationInfo> {
  const info = await store.ask((engine) => engine.byId(id));
  if (info === undefined)
    throw new ColloquyError("NOT_FOUND", `There is no conversation ${id}`, { details: { id } });
  return info;
}
