/** The file of a search index: what it says of conversations and documents, and how it is changed. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "../disk/sqlite-code.ts";
import type { ConversationInfo, FeedPlace } from "../engine/index.ts";
import { DamageError } from "../sqlite/damage.ts";
import { Erasures } from "./erasures.ts";
import { type FieldDocument, titleDocument } from "./fields.ts";
import { FIELDS, VECTORS, WORDS_VERSION } from "./schema.ts";

/** A conversation that is in the index. */
export interface IndexedConversation {
  readonly n: number;
  readonly id: string;
  readonly key: string | null;
  readonly channel: string | null;
  readonly title: string | null;
  /** Entries up to this one are in the index. */
  readonly seq: number;
  /** The position of the last message. */
  readonly position: number;
}

/** A document of the index. */
export interface DocumentRow {
  readonly id: number;
  readonly conversation: number;
  readonly position: number;
  readonly field: number;
  readonly seq: number;
  /** In seconds since 1970. */
  readonly at: number;
  readonly length: number;
}

/** The messages of one conversation between two of its entries. */
export interface Addition {
  readonly info: ConversationInfo;
  /** The index had it up to here. */
  readonly after: number;
  readonly upTo: number;
  readonly messages: readonly IndexedMessage[];
}

export interface IndexedMessage {
  readonly seq: number;
  readonly at: string;
  readonly documents: readonly FieldDocument[];
}

/** Thrown when another process has changed what an addition relies on: it must be read again. */
export class StaleError extends Error {
  override readonly name = "StaleError";
}

/** A process that is killed holds no lock, and one that indexes holds it for milliseconds. */
const LOCK_PATIENCE_MS = 2000;
const LOCK_PAUSE_MS = 5;
/** Stands for the session key, where entries are named by their number. */
export const KEY_SEQ = 0;
const TITLE = FIELDS.indexOf("title");
const TEXT = FIELDS.indexOf("text");
/** About 20 ms of work. */
const MERGE_PAGES = 64;

export class IndexFile {
  readonly database: DatabaseSync;
  readonly erasures: Erasures = new Erasures(this);
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** All rows of a query, whose columns are the properties of `Row`. */
  rows<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.prepare(sql)
      .all(...values)
      .map((row) => row as Row);
  }

  /** Whether it has what this version would index. */
  get isCurrentVersion(): boolean {
    return this.#state("version") === WORDS_VERSION;
  }

  /** Changes when it is cleared. What was read before must not be added to it then. */
  get generation(): number {
    return Number(this.#state("generation") ?? 0);
  }

  /** Up to which change it is complete; `undefined` before it was built. */
  get place(): FeedPlace | undefined {
    return parsed(this.#state("place")) as FeedPlace | undefined;
  }

  /** From which change on it will be complete, once it is built. */
  get building(): FeedPlace | undefined {
    return parsed(this.#state("building")) as FeedPlace | undefined;
  }

  /** How many messages it has. */
  get messages(): number {
    return Number(this.prepare("SELECT sum(position) AS n FROM conversations").get()?.n ?? 0);
  }

  /** How many documents each language has. */
  get languages(): Readonly<Record<string, number>> {
    return (parsed(this.#state("languages")) ?? {}) as Record<string, number>;
  }

  #state(name: string): string | undefined {
    return this.prepare("SELECT value FROM state WHERE name = ?").get(name)?.value as string | undefined;
  }

  #setState(name: string, value: string): void {
    this.prepare("INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)").run(name, value);
  }

  /** Begin to build it. What it has stays: entries that are in it are not added again. */
  beginBuilding(place: FeedPlace): void {
    this.#setState("building", JSON.stringify(place));
  }

  /** It is complete up to `place`, unless another process has moved it from `before` meanwhile. */
  advance(before: FeedPlace | undefined, place: FeedPlace): void {
    if (JSON.stringify(this.place) !== JSON.stringify(before)) return;
    this.#setState("place", JSON.stringify(place));
    this.prepare("DELETE FROM state WHERE name = 'building'").run();
  }

  /** Change it, as soon as no other process does. */
  async transaction<T>(work: () => T): Promise<T> {
    const deadline = performance.now() + LOCK_PATIENCE_MS;
    for (;;) {
      try {
        this.database.exec("BEGIN IMMEDIATE");
        break;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await sleep(LOCK_PAUSE_MS);
      }
    }
    try {
      const result = work();
      this.database.exec("COMMIT");
      return result;
    } finally {
      if (this.database.isTransaction) this.database.exec("ROLLBACK");
    }
  }

  conversation(id: string): IndexedConversation | undefined {
    return this.prepare("SELECT * FROM conversations WHERE id = ?").get(id) as
      | IndexedConversation
      | undefined;
  }

  conversationByNumber(n: number): IndexedConversation | undefined {
    return this.prepare("SELECT * FROM conversations WHERE n = ?").get(n) as IndexedConversation | undefined;
  }

  documentsIn(n: number): DocumentRow[] {
    return this.rows("SELECT * FROM documents WHERE conversation = ? ORDER BY position", n);
  }

  /** The documents of a message, or the title at position 0. */
  documentsAt(n: number, position: number): DocumentRow[] {
    return this.rows("SELECT * FROM documents WHERE conversation = ? AND position = ?", n, position);
  }

  /** How many ids of documents are in use, or were. */
  get lastDocument(): number {
    return Number(this.prepare("SELECT max(id) AS last FROM documents").get()?.last ?? 0);
  }

  conversations(): IndexedConversation[] {
    return this.rows("SELECT * FROM conversations");
  }

  document(id: number): DocumentRow | undefined {
    return this.prepare("SELECT * FROM documents WHERE id = ?").get(id) as DocumentRow | undefined;
  }

  /** The texts of messages after a document, in the order of their ids. */
  textsAfter(id: number, limit: number): DocumentRow[] {
    const sql = "SELECT * FROM documents WHERE id > ? AND field = ? ORDER BY id LIMIT ?";
    return this.rows(sql, id, TEXT, limit);
  }

  /** Documents up to this one have a vector in a space, as far as they are texts. */
  embeddedUpTo(space: string): number {
    return Number(this.#state(`embedded ${space}`) ?? 0);
  }

  setEmbedded(space: string, id: number): void {
    this.#setState(`embedded ${space}`, String(id));
  }

  /** The ids of documents that were removed are used again. */
  #setUnembedded(id: number): void {
    const spaces = this.prepare("SELECT name FROM state WHERE name LIKE 'embedded %'").all();
    for (const { name } of spaces) {
      // Only if it is needed, for the same reason.
      if (Number(this.#state(String(name))) >= id) this.#setState(String(name), String(id - 1));
    }
  }

  /**
   * Add messages that are not in it, and are not being erased. `readMs` is when reading them began: an erasure since
   * then may have removed some.
   */
  add(additions: readonly Addition[], readMs: number): void {
    const counts = new Map<number, number>();
    for (const addition of additions) this.#addOne(addition, readMs, counts);
    // Once for all: a change of another table makes FTS5 write what it has collected.
    this.#count(counts);
  }

  #addOne({ info, after, upTo, messages }: Addition, readMs: number, counts: Map<number, number>): void {
    const erased = this.erasures.openOf(info.id);
    if (erased.includes(null)) return;
    const known = this.conversation(info.id);
    if ((known?.seq ?? 0) < after) throw new StaleError();
    if (this.erasures.isSettledSince(info.id, readMs)) throw new StaleError();
    const before = known ?? this.#create(info);
    this.setInfo(before, erased.includes(KEY_SEQ) ? { ...info, key: null } : info);
    let { position } = before;
    let first: number | undefined;
    for (const { seq, at, documents } of messages) {
      if (seq <= before.seq || documents.length === 0 || erased.includes(seq)) continue;
      position++;
      for (const document of documents) {
        const id = this.#insert(before.n, position, seq, Math.floor(Date.parse(at) / 1000), document);
        first ??= id;
        counts.set(document.language, (counts.get(document.language) ?? 0) + 1);
      }
    }
    if (first !== undefined) this.#setUnembedded(first);
    const last = Math.max(upTo, before.seq);
    this.prepare("UPDATE conversations SET seq = ?, position = ? WHERE n = ?").run(last, position, before.n);
  }

  #create({ id }: ConversationInfo): IndexedConversation {
    this.prepare("INSERT INTO conversations (id, seq, position) VALUES (?, 0, 0)").run(id);
    return this.conversation(id) as IndexedConversation;
  }

  /** The key, channel and title as they are now. */
  setInfo(known: IndexedConversation, { key, channel, title }: ConversationInfo): void {
    if (known.key === key && known.channel === channel && known.title === title) return;
    if (known.title !== title) {
      this.#removeTitle(known);
      const document = title === null ? undefined : titleDocument(title);
      if (document !== undefined) this.#insert(known.n, 0, 0, 0, document);
    }
    this.prepare("UPDATE conversations SET key = ?, channel = ?, title = ? WHERE n = ?").run(
      ...[key, channel, title, known.n],
    );
  }

  #insert(n: number, position: number, seq: number, at: number, document: FieldDocument): number {
    const { lastInsertRowid: id } = this.prepare(
      "INSERT INTO documents (conversation, position, field, seq, at, length) VALUES (?, ?, ?, ?, ?, ?)",
    ).run(n, position, document.field, seq, at, document.length);
    this.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)").run(id, document.words);
    return Number(id);
  }

  #count(counts: ReadonlyMap<number, number>): void {
    if (counts.size === 0) return;
    const languages: Record<string, number> = { ...this.languages };
    for (const [language, count] of counts) languages[language] = (languages[language] ?? 0) + count;
    this.#setState("languages", JSON.stringify(languages));
  }

  /** Remove a document, unless another process has. `words` must be those that it was indexed with. */
  remove(id: number, words: string): void {
    if (this.prepare("DELETE FROM documents WHERE id = ?").run(id).changes === 0) return;
    this.prepare("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)").run(BigInt(id), words);
    this.prepare(`DELETE FROM ${VECTORS} WHERE item = ?`).run(id);
  }

  #removeTitle({ n, title }: IndexedConversation): void {
    const row = this.prepare(
      "SELECT id FROM documents WHERE conversation = ? AND position = 0 AND field = ?",
    ).get(n, TITLE) as { id: number } | undefined;
    const document = title === null ? undefined : titleDocument(title);
    if (row !== undefined && document !== undefined) this.remove(row.id, document.words);
  }

  /** Remove a conversation whose messages were removed before. */
  removeConversation(known: IndexedConversation): void {
    this.#removeTitle(known);
    this.prepare("DELETE FROM conversations WHERE n = ?").run(known.n);
  }

  /**
   * Merge some of the lists that were written at different times, which makes the file smaller and searches faster,
   * and give back free pages. Returns whether there is more to do.
   */
  compact(isFirst: boolean): boolean {
    const changes = this.prepare("SELECT total_changes() AS count");
    const before = Number(changes.get()?.count);
    // A negative number begins to merge everything, a positive one continues.
    this.prepare("INSERT INTO words (words, rank) VALUES ('merge', ?)").run(
      isFirst ? -MERGE_PAGES : MERGE_PAGES,
    );
    this.database.exec(`PRAGMA incremental_vacuum(${MERGE_PAGES})`);
    return Number(changes.get()?.count) - before >= 2;
  }

  /** Remove everything, so that it is built again. Erasures that have begun continue. */
  clear(): void {
    const generation = this.generation + 1;
    this.database.exec("INSERT INTO words (words) VALUES ('delete-all')");
    for (const table of ["documents", "conversations", "state", VECTORS]) {
      this.database.exec(`DELETE FROM ${table}`);
    }
    this.#setState("generation", String(generation));
    this.#setState("version", WORDS_VERSION);
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    throw new DamageError("The state of the index is not JSON");
  }
}
