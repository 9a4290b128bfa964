import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { ColloquyError, unavailable } from "../../errors.ts";
import type { Entry } from "../../message/types.ts";
import { isBusy, retryBusy, sqliteError } from "../../sqlite/busy.ts";
import { openDatabase } from "../../sqlite/open.ts";
import { timeOf } from "../../util/time.ts";
import type {
  AppendOperation,
  AppendResult,
  Awaitable,
  ConversationInfo,
  CreateOperation,
  Engine,
  EngineOptions,
  EngineStats,
  EntryPage,
  ListQuery,
  Operation,
  Outcome,
  PageQuery,
  TrashOperation,
  UpdateOperation,
  VerifyReport,
} from "../engine.ts";
import { type ConversationLookup, checkAppend, checkMove, notFound, resolveCreate } from "../rules.ts";
import { APPLICATION_ID, migrations } from "./migrations.ts";
import { type Row, toEntry, toInfo } from "./rows.ts";
import { prepareStatements, type Statements } from "./statements.ts";
import { measure, verifyDatabase } from "./verify.ts";

/** SQLite's extended codes for a sync of a file, or of its folder, that failed. */
const SYNC_FAILURES: ReadonlySet<unknown> = new Set([10 | (4 << 8), 10 | (5 << 8)]);

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Where a conversation ends, so that an append need not ask. */
interface Tail {
  readonly n: number;
  lastSeq: number;
  head: string | null;
}

const TAILS_MAX = 10_000;
const CHECK_FILE_EVERY_MS = 50;

/** All conversations in one SQLite file, for any number of processes on one machine. */
export class SqliteEngine implements Engine {
  readonly name = "sqlite";
  readonly location: string;
  readonly #inode: bigint | undefined;
  #checkFileAt = 0;
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #options: EngineOptions;
  /** Where conversations end, as long as no other connection has written. */
  readonly #tails = new Map<string, Tail>();
  #tailsVersion: unknown;
  readonly #reported = new Set<string>();
  #failure: ColloquyError | undefined;

  static async open(path: string, options: EngineOptions): Promise<SqliteEngine> {
    const database = await openDatabase(path, {
      readonly: options.readonly,
      synchronous: options.durability === "full" ? "FULL" : "NORMAL",
      applicationId: APPLICATION_ID,
      migrations,
      lockWaitMs: options.lockWaitMs,
    });
    return new SqliteEngine(resolve(path), database, options);
  }

  private constructor(location: string, database: DatabaseSync, options: EngineOptions) {
    this.location = location;
    this.#inode = inodeOf(location);
    this.#database = database;
    this.#options = options;
    this.#sql = prepareStatements(database);
  }

  commit(operations: readonly Operation[]): Awaitable<Outcome[]> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#checkFile();
    try {
      this.#sql.begin.run();
    } catch (error) {
      if (isBusy(error)) return this.#commitWhenFree(operations);
      throw sqliteError(error, this.location);
    }
    return this.#run(operations);
  }

  /** Writing to a file that was removed or replaced succeeds, and is lost when it is closed. */
  #checkFile(): void {
    const now = performance.now();
    if (now < this.#checkFileAt) return;
    if (inodeOf(this.location) !== this.#inode) throw unavailable(`${this.location} was removed or replaced`);
    this.#checkFileAt = now + CHECK_FILE_EVERY_MS;
  }

  async #commitWhenFree(operations: readonly Operation[]): Promise<Outcome[]> {
    await retryBusy(this.location, this.#options.lockWaitMs, () => this.#sql.begin.run());
    return this.#run(operations);
  }

  /** Inside the open transaction. */
  #run(operations: readonly Operation[]): Outcome[] {
    const outcomes: Outcome[] = [];
    try {
      this.#checkTails();
      for (const operation of operations) outcomes.push(this.#attempt(operation));
      this.#sql.commit.run();
      return outcomes;
    } catch (error) {
      this.#tails.clear();
      if (this.#database.isTransaction) this.#sql.rollback.run();
      if (SYNC_FAILURES.has((error as { errcode?: unknown }).errcode)) {
        // After a failed sync nothing tells what is on the disk; only opening again reads it back.
        // A write that failed was taken back whole, and may be tried again.
        const cause = sqliteError(error, this.location);
        this.#failure = unavailable(
          `${cause.message}. The store takes no more writes; check the disk and open it again`,
          { cause },
        );
      }
      throw sqliteError(error, this.location);
    }
  }

  /** A refusal of ours comes before the operation's first write; anything else ends the transaction. */
  #attempt(operation: Operation): Outcome {
    try {
      return { ok: true, ...this.#apply(operation) };
    } catch (error) {
      if (error instanceof ColloquyError) return { ok: false, error };
      throw error;
    }
  }

  #apply(operation: Operation): { info?: ConversationInfo; append?: AppendResult } {
    switch (operation.type) {
      case "create":
        return { info: this.#create(operation) };
      case "append":
        return { append: this.#append(operation) };
      case "update":
        return { info: this.#update(operation) };
      default:
        return { info: this.#moveToTrashOrBack(operation) };
    }
  }

  #create(create: CreateOperation): ConversationInfo {
    const existing = resolveCreate(create, this.#lookup);
    if (existing !== undefined) return existing;
    const { id, key, title, channel, model, profileId, at } = create;
    this.#sql.create.run(id, key, title, channel, model, profileId, timeOf(at));
    return this.#info(id);
  }

  #append(append: AppendOperation): AppendResult {
    const tail = this.#tail(append.conversation);
    const { n, head, lastSeq } = tail;
    const replay = checkAppend(append, {
      head,
      byOperation: (operationId) =>
        (this.#sql.byOperation.all(operationId, n) as unknown as Row[]).flatMap((row) => toEntry(row) ?? []),
      byEntryId: (id) => {
        const row = this.#sql.entryById.get(n, id) as Row | undefined;
        return row === undefined ? undefined : toEntry(row);
      },
    });
    if (replay !== undefined) {
      // Whoever wrote it may have died before the sync. A commit without changes would not sync, and an
      // UPDATE that changes nothing is none; this rewrites a page with what it holds.
      this.#database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      return { replayed: true, entries: replay };
    }
    this.#insert(append, tail);
    return { replayed: false, firstSeq: lastSeq + 1, parentId: head };
  }

  #insert({ entries, operationId, at }: AppendOperation, tail: Tail): void {
    const firstSeq = tail.lastSeq + 1;
    let messages = 0;
    let lastMessageMs: number | null = null;
    for (const entry of entries) {
      const atMs = timeOf(entry.at);
      const { id, kind, json } = entry;
      this.#sql.insert.run(tail.n, ++tail.lastSeq, id, tail.head, kind, atMs, operationId ?? null, json);
      tail.head = id;
      if (kind === "message") {
        messages++;
        lastMessageMs = Math.max(lastMessageMs ?? atMs, atMs);
      }
    }
    if (operationId !== undefined) this.#sql.name.run(operationId, tail.n, firstSeq, tail.lastSeq);
    this.#sql.grow.run(tail.n, tail.lastSeq, tail.head, messages, timeOf(at), lastMessageMs);
  }

  #checkTails(): void {
    const version = (this.#sql.dataVersion.get() as unknown as Row)[0];
    if (version !== this.#tailsVersion || this.#tails.size > TAILS_MAX) this.#tails.clear();
    this.#tailsVersion = version;
  }

  #tail(id: string): Tail {
    const known = this.#tails.get(id);
    if (known !== undefined) return known;
    const row = this.#sql.tail.get(id) as Row | undefined;
    if (row === undefined || row[3] !== null) throw notFound(id);
    const tail: Tail = { n: row[0] as number, lastSeq: row[1] as number, head: row[2] as string | null };
    this.#tails.set(id, tail);
    return tail;
  }

  #update({ conversation, patch, at }: UpdateOperation): ConversationInfo {
    const { title, channel, model, profileId, contextState } = { ...this.#live(conversation), ...patch };
    const state = contextState === null ? null : JSON.stringify(contextState);
    this.#sql.update.run(title, channel, model, profileId, state, timeOf(at), conversation);
    return this.#info(conversation);
  }

  #moveToTrashOrBack(move: TrashOperation): ConversationInfo {
    const { id } = checkMove(move, this.#lookup);
    this.#tails.delete(id);
    const atMs = timeOf(move.at);
    this.#sql.setDeleted.run(move.type === "trash" ? atMs : null, atMs, id);
    return this.#info(id);
  }

  byId(id: string): ConversationInfo | undefined {
    return this.#read(() => this.#find(id));
  }

  byKey(key: string): ConversationInfo | undefined {
    return this.#read(() => this.#findKey(key));
  }

  /** Inside a transaction: what SQLite throws must end it, and not pass for a refusal of ours. */
  readonly #lookup: ConversationLookup = {
    byId: (id) => this.#find(id),
    byKey: (key) => this.#findKey(key),
  };

  #find(id: string): ConversationInfo | undefined {
    const row = this.#sql.infoById.get(id) as Row | undefined;
    return row === undefined ? undefined : this.#toInfo(row);
  }

  #findKey(key: string): ConversationInfo | undefined {
    const row = this.#sql.infoByKey.get(key) as Row | undefined;
    return row === undefined ? undefined : this.#toInfo(row);
  }

  #toInfo(row: Row): ConversationInfo {
    return toInfo(row, (problem) => this.#report(`Conversation ${row[0]}: ${problem}`));
  }

  #report(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#options.onProblem(unavailable(`${this.location}: ${problem}`));
  }

  list({ trash, limit, after }: ListQuery): ConversationInfo[] {
    const { list, listAfter, listTrash, listTrashAfter } = this.#sql;
    const rows = this.#read(() =>
      after === undefined
        ? (trash ? listTrash : list).all(limit)
        : (trash ? listTrashAfter : listAfter).all(timeOf(after.at), after.id, limit),
    );
    return (rows as unknown as Row[]).map((row) => this.#toInfo(row));
  }

  page(query: PageQuery): EntryPage {
    const forward = query.direction === "forward";
    const statement = forward ? this.#sql.forward : this.#sql.backward;
    const from = query.from ?? (forward ? 0 : Number.MAX_SAFE_INTEGER);
    return this.#read(() => {
      const entries: Entry[] = [];
      let bytes = 0;
      let more = false;
      // Row by row: the page may be full of bytes long before it is full of entries.
      for (const row of statement.iterate(query.conversation, from) as unknown as Iterable<Row>) {
        if (query.kind !== undefined && row[3] !== query.kind) continue;
        bytes += Buffer.byteLength(row[6] as string);
        if (entries.length >= query.limit || (entries.length > 0 && bytes > query.bytesMax)) {
          more = true;
          break;
        }
        const entry = toEntry(row);
        if (entry === undefined)
          this.#report(`Entry ${row[0]} of conversation ${query.conversation} is not JSON`);
        else entries.push(entry);
      }
      return { entries: forward ? entries : entries.reverse(), more };
    });
  }

  locate(conversation: string, entryId: string): number | undefined {
    const row = this.#read(() => this.#sql.seqOf.get(conversation, entryId) as Row | undefined);
    return row?.[0] as number | undefined;
  }

  verify(): VerifyReport {
    return this.#read(() => verifyDatabase(this.#database, this.location));
  }

  stats(): EngineStats {
    return this.#read(() => measure(this.#database, this.location));
  }

  close(): void {
    this.#database.close();
  }

  #info(id: string): ConversationInfo {
    const info = this.#find(id);
    if (info === undefined) throw notFound(id);
    return info;
  }

  #live(id: string): ConversationInfo {
    const info = this.#info(id);
    if (info.deletedAt !== null) throw notFound(id);
    return info;
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw sqliteError(error, this.location);
    }
  }
}
