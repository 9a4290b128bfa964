import type { Awaitable, ConversationInfo, Engine, EngineStats, VerifyReport } from "../engine/engine.ts";
import { activeAt, notFound } from "../engine/rules.ts";
import { asColloquyError, invalid, unavailable } from "../errors.ts";
import { checkConversationId, checkKey, checkLabel, checkMembers, checkTitle } from "../message/validate.ts";
import { type Clock, isoTime, parseTime } from "../util/time.ts";
import { nextUuid } from "../util/uuid.ts";
import { Conversation, checkCount, copyOf, type Page, type StoreAccess } from "./conversation.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { WriteQueue } from "./write-queue.ts";

export interface ConversationInit {
  readonly title?: string;
  /** Default: what stands before the first colon of the session key. */
  readonly channel?: string;
  readonly model?: string;
  readonly profileId?: string;
}

export interface CreateInit extends ConversationInit {
  /** A UUID. Creating again with the same id returns what is there. */
  readonly id?: string;
  readonly key?: string;
}

export interface ConversationQuery {
  /** The deleted ones instead of the others. */
  readonly trash?: boolean;
  /** At most so many in a page. Default 50, at most 10,000. */
  readonly limit?: number;
  /** From the last page. `null`, as the end gives it, is an empty page. */
  readonly cursor?: string | null;
}

export interface StoreStats extends EngineStats {
  readonly engine: string;
  readonly path: string | null;
}

const LIST_DEFAULT = 50;

/** The front over an engine: validates, makes ids and times, and collects writes into shared transactions. */
export class Store {
  readonly #engine: Engine;
  readonly #queue: WriteQueue;
  readonly #clock: Clock;
  readonly #readonly: boolean;
  readonly #access: StoreAccess;
  #closed: Promise<void> | undefined;

  /** @internal Use `openStore`. */
  constructor(engine: Engine, options: { readonly clock: Clock; readonly readonly: boolean }) {
    this.#engine = engine;
    this.#queue = new WriteQueue(engine);
    this.#clock = () => checkClock(options.clock());
    this.#readonly = options.readonly;
    this.#access = {
      queue: this.#queue,
      nowMs: () => this.#clock(),
      ask: (question) => this.#ask(question),
      assertWritable: () => this.#assertWritable(),
    };
  }

  /** The engine's name: `sqlite`, `jsonl`, `ephemeral`. */
  get engine(): string {
    return this.#engine.name;
  }

  /** The file or folder; `null` when there is none. */
  get path(): string | null {
    return this.#engine.location;
  }

  /** Resume the conversation that has this session key, or create it. */
  async open(key: string, init: ConversationInit = {}): Promise<Conversation> {
    const checkedKey = checkKey(key);
    const fields = checkInit(init, OPEN_MEMBERS);
    const existing = await this.#ask((engine) => engine.byKey(checkedKey));
    if (existing !== undefined) return new Conversation(this.#access, existing.id);
    return this.#create({ ...fields, id: undefined, key: checkedKey }, true);
  }

  /** Create a conversation. A session key that is in use is a `CONFLICT`. */
  async create(init: CreateInit = {}): Promise<Conversation> {
    const fields = checkInit(init, CREATE_MEMBERS);
    const id = init.id === undefined ? undefined : checkConversationId(init.id);
    return this.#create({ ...fields, id, key: init.key === undefined ? null : checkKey(init.key) }, false);
  }

  /** The conversation with this id or session key, or `undefined`. What contains a colon is a key. */
  async get(idOrKey: string): Promise<Conversation | undefined> {
    const info = await this.#find(idOrKey);
    return info === undefined ? undefined : new Conversation(this.#access, info.id);
  }

  /** A page of conversations, by last activity, newest first. Reads no messages. */
  async list(query: ConversationQuery = {}): Promise<Page<ConversationInfo>> {
    checkMembers(query, LIST_MEMBERS, "query");
    const { trash = false, cursor } = query;
    const limit = checkCount(query.limit ?? LIST_DEFAULT, "limit");
    const place = typeof cursor === "string" ? decodeCursor("c", cursor, ["string", "string"]) : undefined;
    if (place !== undefined && parseTime(place[0]) === undefined) throw invalid("Invalid cursor", "cursor");
    const after = place === undefined ? undefined : { at: place[0] as string, id: place[1] as string };
    const found = await this.#ask((engine) =>
      cursor === null ? [] : engine.list({ trash: trash === true, limit: limit + 1, after }),
    );
    const items = found.slice(0, limit).map(copyOf);
    const last = items.at(-1);
    const more = found.length > limit && last !== undefined;
    return { items, cursor: more ? encodeCursor("c", activeAt(last), last.id) : null };
  }

  /** Move a conversation to the trash. Its session key is free again. `NOT_FOUND` when there is none. */
  async delete(idOrKey: string): Promise<ConversationInfo> {
    const info = await this.#find(idOrKey);
    this.#assertWritable();
    if (info === undefined) throw notFound(idOrKey);
    return this.#move("trash", info.id);
  }

  /** Take a conversation out of the trash. `CONFLICT` when its session key is in use meanwhile. */
  async restore(id: string): Promise<ConversationInfo> {
    const checked = checkConversationId(id);
    this.#assertWritable();
    return this.#move("restore", checked);
  }

  /** Read everything that is stored and report what is wrong. Changes nothing. */
  async verify(): Promise<VerifyReport> {
    return this.#ask((engine) => engine.verify());
  }

  async stats(): Promise<StoreStats> {
    const stats = await this.#ask((engine) => engine.stats());
    return { ...stats, top: stats.top.map(copyOf), engine: this.#engine.name, path: this.#engine.location };
  }

  /** Finish what was begun and let go of the files. Calling it again does nothing. */
  close(): Promise<void> {
    this.#closed ??= this.#queue.idle().then(() => mapped(() => this.#engine.close()));
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #find(idOrKey: string): Promise<ConversationInfo | undefined> {
    const isKey = typeof idOrKey === "string" && idOrKey.includes(":");
    const checked = isKey ? checkKey(idOrKey) : checkConversationId(idOrKey);
    const info = await this.#ask((engine) => (isKey ? engine.byKey(checked) : engine.byId(checked)));
    return info === undefined || info.deletedAt !== null ? undefined : info;
  }

  async #create(
    init: Required<InitFields> & { id: string | undefined; key: string | null },
    resume: boolean,
  ): Promise<Conversation> {
    this.#assertWritable();
    const nowMs = this.#clock();
    const { id } = await this.#queue.push({
      type: "create",
      ...init,
      channel: init.channel ?? init.key?.slice(0, init.key.indexOf(":")) ?? null,
      id: init.id ?? nextUuid(nowMs),
      idGiven: init.id !== undefined,
      at: isoTime(nowMs),
      resume,
    });
    return new Conversation(this.#access, id);
  }

  async #move(type: "trash" | "restore", conversation: string): Promise<ConversationInfo> {
    return copyOf(await this.#queue.push({ type, conversation, at: isoTime(this.#clock()) }));
  }

  #ask<T>(question: (engine: Engine) => Awaitable<T>): Promise<T> {
    return mapped(() => {
      this.#assertOpen();
      return question(this.#engine);
    });
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw unavailable("The store is closed");
  }

  #assertWritable(): void {
    this.#assertOpen();
    if (this.#readonly) throw unavailable("The store was opened for reading only");
  }
}

interface InitFields {
  readonly title: string | null;
  readonly channel: string | null;
  readonly model: string | null;
  readonly profileId: string | null;
}

const OPEN_MEMBERS: ReadonlySet<string> = new Set(["title", "channel", "model", "profileId"]);
const CREATE_MEMBERS: ReadonlySet<string> = new Set(["id", "key", ...OPEN_MEMBERS]);
const LIST_MEMBERS: ReadonlySet<string> = new Set(["trash", "limit", "cursor"]);

const TIME_MAX = Date.UTC(9999, 11, 31);

function checkClock(nowMs: number): number {
  if (Number.isFinite(nowMs) && nowMs >= 0 && nowMs <= TIME_MAX) return Math.trunc(nowMs);
  throw invalid(`The clock says ${nowMs}, which are not milliseconds since 1970`, "clock");
}

/** Nothing untyped leaves the store, whatever an engine or the system throws. */
async function mapped<T>(work: () => Awaitable<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asColloquyError(error, "The store failed");
  }
}

function checkInit(init: CreateInit, allowed: ReadonlySet<string>): InitFields {
  checkMembers(init, allowed, "init");
  const label = (value: unknown, field: string): string | null =>
    value === undefined ? null : checkLabel(value, field);
  return {
    title: init.title === undefined ? null : checkTitle(init.title),
    channel: label(init.channel, "channel"),
    model: label(init.model, "model"),
    profileId: label(init.profileId, "profileId"),
  };
}
