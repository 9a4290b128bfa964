import type {
  AppendOperation,
  Awaitable,
  ConversationInfo,
  Engine,
  NewEntry,
  UpdatePatch,
} from "../engine/engine.ts";
import { notFound } from "../engine/rules.ts";
import { ColloquyError, invalid } from "../errors.ts";
import type { Entry, MessageInput } from "../message/types.ts";
import {
  type CheckedMessage,
  checkEntryId,
  checkLabel,
  checkMembers,
  checkMessage,
  checkOperationId,
  checkTitle,
} from "../message/validate.ts";
import { assertJson, isPlainObject } from "../util/json.ts";
import { isoTime } from "../util/time.ts";
import { nextUuid } from "../util/uuid.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { WriteQueue } from "./write-queue.ts";

export interface AppendOptions {
  /** Names this append, so that a retry changes nothing and returns what the first try wrote. */
  readonly operationId?: string;
  /** The head that the caller has seen; `null` for an empty conversation. Another head is a `CONFLICT`. */
  readonly expectedHead?: string | null;
}

/** Which entries: at most one of `last`, `before`, `after` and `cursor`. From the first one on when none is given. */
export interface EntryQuery {
  /** The newest so many. */
  readonly last?: number;
  /** Those right before this entry id. */
  readonly before?: string;
  /** Those right after this entry id. */
  readonly after?: string;
  /** At most so many in a page. Default 100, at most 10,000. */
  readonly limit?: number;
  /** A page ends before it would exceed so many bytes, but holds one entry at least. Default 64 MiB. */
  readonly maxBytes?: number;
  /** From the last page, to go on in its direction. `null`, as the end gives it, is an empty page. */
  readonly cursor?: string | null;
}

export interface Page<T> {
  readonly items: T[];
  /** `null` at the end. */
  readonly cursor: string | null;
}

export interface ConversationPatch {
  /** At most 120 characters; `null` takes it away. The same for the others. */
  readonly title?: string | null;
  readonly channel?: string | null;
  readonly model?: string | null;
  readonly profileId?: string | null;
  /** What a context strategy remembers between runs. */
  readonly contextState?: ConversationInfo["contextState"];
}

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 10_000;
const PAGE_BYTES_DEFAULT = 64 * 1024 * 1024;
const APPEND_MESSAGES_MAX = 10_000;
/** A line of the JSONL format may have 64 MiB; this leaves room for what stands around the message. */
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024 - 4096;

/** What a conversation needs of its store. */
export interface StoreAccess {
  readonly queue: WriteQueue;
  nowMs(): number;
  /** Ask the engine. Whatever it throws comes out as a `ColloquyError`. */
  ask<T>(question: (engine: Engine) => Awaitable<T>): Promise<T>;
  /** Throws when the store is closed or was opened for reading only. */
  assertWritable(): void;
}

/** One conversation of a store. Holds no messages: every call asks the store. */
export class Conversation {
  readonly id: string;
  readonly #store: StoreAccess;

  constructor(store: StoreAccess, id: string) {
    this.#store = store;
    this.id = id;
  }

  /**
   * Append messages and make them durable.
   *
   * Contract: once this resolves, the messages survive a power cut. All are
   * written or none. With `operationId`, or with ids in the messages, a retry
   * returns what was written first; the same id with other content is a
   * `CONFLICT`, and so is an `expectedHead` that is no longer the head (the
   * actual one is in `details.head`).
   */
  async append(
    messages: MessageInput | readonly MessageInput[],
    options: AppendOptions = {},
  ): Promise<Entry[]> {
    const checked = checkMessages(messages);
    const { operationId, expectedHead } = checkAppendOptions(options);
    this.#store.assertWritable();
    const nowMs = this.#store.nowMs();
    const entries = checked.map((message) => toNewEntry(message, nowMs));
    const append: AppendOperation = {
      type: "append",
      conversation: this.id,
      entries,
      // What was written as one can be told apart from what was written one by one.
      operationId: operationId ?? (entries.length > 1 ? nextUuid(nowMs) : undefined),
      expectedHead,
      at: isoTime(nowMs),
    };
    const result = await this.#store.queue.push(append);
    if (result.replayed) return result.entries;
    return placed(append, checked, result.firstSeq, result.parentId);
  }

  /** Messages in ascending order, a page at a time. */
  messages(query: EntryQuery = {}): Promise<Page<Entry>> {
    return this.#page(query, "message");
  }

  /** Entries of every kind in ascending order, a page at a time. */
  entries(query: EntryQuery = {}): Promise<Page<Entry>> {
    return this.#page(query, undefined);
  }

  /** What is known of the conversation. Fails with `NOT_FOUND` when it was deleted meanwhile. */
  async info(): Promise<ConversationInfo> {
    const info = await this.#store.ask((engine) => engine.byId(this.id));
    if (info === undefined || info.deletedAt !== null) throw notFound(this.id);
    return copyOf(info);
  }

  /** Change title, model and the like. Messages are not touched. */
  async update(patch: ConversationPatch): Promise<ConversationInfo> {
    const checked = checkPatch(patch);
    this.#store.assertWritable();
    const at = isoTime(this.#store.nowMs());
    return copyOf(
      await this.#store.queue.push({ type: "update", conversation: this.id, patch: checked, at }),
    );
  }

  async #page(query: EntryQuery, kind: string | undefined): Promise<Page<Entry>> {
    const { direction, limit, bytesMax, anchor, ...plan } = planPage(query);
    const page = await this.#store.ask(async (engine) => {
      if (plan.ended) return { entries: [], more: false };
      const from = anchor === undefined ? plan.from : await engine.locate(this.id, anchor);
      if (from === undefined) {
        throw new ColloquyError("NOT_FOUND", `There is no entry ${anchor} in conversation ${this.id}`);
      }
      return engine.page({ conversation: this.id, direction, from, limit, bytesMax, kind });
    });
    const { entries, more } = page;
    // The engine has no entries of what was deleted, or never was; an empty conversation has none either.
    if (entries.length === 0) await this.info();
    const edge = direction === "forward" ? entries.at(-1) : entries[0];
    return {
      items: entries,
      cursor: more && edge !== undefined ? encodeCursor("e", direction, edge.seq) : null,
    };
  }
}

/** What is handed out can be changed without changing what an engine keeps. */
export function copyOf(info: ConversationInfo): ConversationInfo {
  return { ...info, contextState: structuredClone(info.contextState) };
}

function checkMessages(messages: unknown): CheckedMessage[] {
  const list = Array.isArray(messages) ? messages : [messages];
  if (list.length === 0) throw invalid("At least one message is expected", "messages");
  if (list.length > APPEND_MESSAGES_MAX) {
    throw invalid(`At most ${APPEND_MESSAGES_MAX} messages can be appended at once`, "messages");
  }
  const checked = list.map(checkMessage);
  if (checked.length > 1) checkDistinct(checked);
  for (const { json } of checked) {
    // A UTF-16 unit is at most three bytes, so most messages need no counting.
    if (json.length * 3 > MESSAGE_BYTES_MAX && Buffer.byteLength(json) > MESSAGE_BYTES_MAX) {
      throw invalid(`A message may have at most ${MESSAGE_BYTES_MAX} bytes`, "content");
    }
  }
  return checked;
}

function checkDistinct(checked: readonly CheckedMessage[]): void {
  const ids = checked.flatMap(({ id }) => id ?? []);
  if (new Set(ids).size !== ids.length) throw invalid("Two messages of one append have the same id", "id");
}

const APPEND_MEMBERS: ReadonlySet<string> = new Set(["operationId", "expectedHead"]);

function checkAppendOptions(options: AppendOptions): AppendOptions {
  checkMembers(options, APPEND_MEMBERS, "options");
  const { operationId, expectedHead } = options;
  return {
    operationId: operationId === undefined ? undefined : checkOperationId(operationId),
    expectedHead:
      expectedHead === undefined || expectedHead === null
        ? expectedHead
        : checkEntryId(expectedHead, "expectedHead"),
  };
}

function toNewEntry({ id, atMs, json }: CheckedMessage, nowMs: number): NewEntry {
  return {
    id: id ?? nextUuid(nowMs),
    idGiven: id !== undefined,
    kind: "message",
    at: isoTime(atMs ?? nowMs),
    json,
  };
}

function placed(
  append: AppendOperation,
  checked: CheckedMessage[],
  firstSeq: number,
  head: string | null,
): Entry[] {
  let parentId = head;
  return append.entries.map(({ id, kind, at }, index) => {
    const entry: Entry = { id, seq: firstSeq + index, parentId, kind, at, message: checked[index]?.message };
    parentId = id;
    return append.operationId === undefined ? entry : { ...entry, operationId: append.operationId };
  });
}

function checkPatch(patch: ConversationPatch): UpdatePatch {
  if (!isPlainObject(patch)) throw invalid("A patch must be an object", "patch");
  const checked: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const check = PATCH_MEMBERS.get(member);
    if (check === undefined) throw invalid(`${member} cannot be changed`, member);
    checked[member] = value === null ? null : check(value, member);
  }
  return checked;
}

const PATCH_MEMBERS: ReadonlyMap<string, (value: unknown, member: string) => unknown> = new Map([
  ["title", checkTitle],
  ["channel", checkLabel],
  ["model", checkLabel],
  ["profileId", checkLabel],
  ["contextState", checkObject],
]);

function checkObject(value: unknown, member: string): unknown {
  if (!isPlainObject(value)) throw invalid(`${member} must be an object`, member);
  assertJson(value, member);
  return structuredClone(value);
}

interface PagePlan {
  readonly direction: "forward" | "backward";
  readonly from: number | null;
  /** The entry id to start from, where no cursor says its `seq`. */
  readonly anchor: string | undefined;
  readonly limit: number;
  readonly bytesMax: number;
  /** The cursor of the last page was passed back: there is nothing more. */
  readonly ended: boolean;
}

const QUERY_MEMBERS: ReadonlySet<string> = new Set([
  "last",
  "before",
  "after",
  "limit",
  "maxBytes",
  "cursor",
]);

function planPage(query: EntryQuery): PagePlan {
  checkMembers(query, QUERY_MEMBERS, "query");
  const { last, before, after, cursor } = query;
  if ([last, before, after, cursor].filter((member) => member !== undefined).length > 1) {
    throw invalid("Only one of last, before, after and cursor can be given", "query");
  }
  const limit = checkCount(query.limit ?? LIMIT_DEFAULT, "limit");
  const size = {
    limit: last === undefined ? limit : Math.min(checkCount(last, "last"), query.limit ?? LIMIT_MAX),
    bytesMax: checkCount(query.maxBytes ?? PAGE_BYTES_DEFAULT, "maxBytes", Number.MAX_SAFE_INTEGER),
  };
  if (typeof cursor === "string") {
    const [direction, from] = decodeCursor("e", cursor, ["string", "number"]);
    const backward = direction === "backward";
    return {
      ...size,
      direction: backward ? "backward" : "forward",
      from: from as number,
      anchor: undefined,
      ended: false,
    };
  }
  const anchor = before ?? after;
  return {
    ...size,
    direction: last !== undefined || before !== undefined ? "backward" : "forward",
    from: null,
    anchor:
      anchor === undefined ? undefined : checkEntryId(anchor, before === undefined ? "after" : "before"),
    ended: cursor === null,
  };
}

export function checkCount(value: unknown, field: string, max: number = LIMIT_MAX): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > max) {
    throw invalid(`${field} must be a whole number from 1 to ${max}`, field);
  }
  return value as number;
}
