import type { ConversationInfo, Engine, EngineStats, VerifyReport } from "../engine/engine.ts";
import { activeAt, notFound } from "../engine/rules.ts";
import { invalid, unavailable } from "../errors.ts";
import { checkConversationId, checkKey, checkLabel, checkTitle } from "../message/validate.ts";
import { isPlainObject } from "../util/json.ts";
import { type Clock, isoTime } from "../util/time.ts";
import { nextUuid } from "../util/uuid.ts";
import { Conversation, checkCount, type Page, type StoreAccess } from "./conversation.ts";
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
  readonly cursor?: string;
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
    this.#clock = options.clock;
    this.#readonly = options.readonly;
    this.#access = {
      engine,
      queue: this.#queue,
      nowMs: () => this.#clock(),
      assertOpen: () => this.#assertOpen(),
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
    const fields = checkInit(init);
    this.#assertOpen();
    const existing = await this.#engine.byKey(checkedKey);
    if (existing !== undefined) return new Conversation(this.#access, existing.id);
    return this.#create({ ...fields, id: undefined, key: checkedKey }, true);
  }

  /** Create a conversation. A session key that is in use is a `CONFLICT`. */
  async create(init: CreateInit = {}): Promise<Conversation> {
    const fields = checkInit(init);
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
    if (!isPlainObject(query)) throw invalid("A query must be an object", "query");
    const limit = checkCount(query.limit ?? LIST_DEFAULT, "limit");
    const place =
      query.cursor === undefined ? undefined : decodeCursor("c", query.cursor, ["string", "string"]);
    this.#assertOpen();
    const after = place === undefined ? undefined : { at: place[0] as string, id: place[1] as string };
    const found = await this.#engine.list({ trash: query.trash === true, limit: limit + 1, after });
    const items = found.slice(0, limit);
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
    this.#assertOpen();
    return this.#engine.verify();
  }

  async stats(): Promise<StoreStats> {
    this.#assertOpen();
    const stats = await this.#engine.stats();
    return { ...stats, engine: this.#engine.name, path: this.#engine.location };
  }

  /** Finish what was begun and let go of the files. Calling it again does nothing. */
  close(): Promise<void> {
    this.#closed ??= this.#queue.idle().then(() => this.#engine.close());
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #find(idOrKey: string): Promise<ConversationInfo | undefined> {
    const isKey = typeof idOrKey === "string" && idOrKey.includes(":");
    const checked = isKey ? checkKey(idOrKey) : checkConversationId(idOrKey);
    this.#assertOpen();
    const info = await (isKey ? this.#engine.byKey(checked) : this.#engine.byId(checked));
    return info === undefined || info.deletedAt !== null ? undefined : info;
  }

  async #create(
    init: Required<InitFields> & { id: string | undefined; key: string | null },
    resume: boolean,
  ): Promise<Conversation> {
    this.#assertWritable();
    const nowMs = this.#clock();
    const { info } = await this.#queue.push({
      type: "create",
      ...init,
      channel: init.channel ?? init.key?.slice(0, init.key.indexOf(":")) ?? null,
      id: init.id ?? nextUuid(nowMs),
      idGiven: init.id !== undefined,
      at: isoTime(nowMs),
      resume,
    });
    return new Conversation(this.#access, (info as ConversationInfo).id);
  }

  async #move(type: "trash" | "restore", conversation: string): Promise<ConversationInfo> {
    const { info } = await this.#queue.push({ type, conversation, at: isoTime(this.#clock()) });
    return info as ConversationInfo;
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

const INIT_MEMBERS: ReadonlySet<string> = new Set(["id", "key", "title", "channel", "model", "profileId"]);

function checkInit(init: CreateInit): InitFields {
  if (!isPlainObject(init)) throw invalid("An object is expected", "init");
  const unknown = Object.keys(init).find((member) => !INIT_MEMBERS.has(member));
  if (unknown !== undefined) throw invalid(`Unknown member "${unknown}"`, unknown);
  const label = (value: unknown, field: string): string | null =>
    value === undefined ? null : checkLabel(value, field);
  return {
    title: init.title === undefined ? null : checkTitle(init.title),
    channel: label(init.channel, "channel"),
    model: label(init.model, "model"),
    profileId: label(init.profileId, "profileId"),
  };
}
