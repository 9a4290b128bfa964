import type { DatabaseSync, StatementSync } from "node:sqlite";
import { runsOf } from "../../../tree/draft.ts";
import { activeHead, type LogEnd } from "../../../tree/place.ts";
import { foldAll, liveBranches, type Mark, OFF_PATH, PLAIN, type Tree } from "../../../tree/tree.ts";
import type { Json } from "../../../util/json.ts";
import { isoTime } from "../../../util/time.ts";
import { notFound } from "../../rules.ts";
import { parsed, type Row } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** A conversation that is not in the trash: its row and where it ends. */
export interface KnownTail {
  readonly n: number;
  logEnd: LogEnd;
}

interface Cached extends KnownTail {
  /** The state of the file for which it is known to be right. */
  version: unknown;
}

const TAILS_MAX = 10_000;

const SINCE = {
  /** The last `n` of the feed, and whether anything but entries and what leaves them alone came after an `n`. */
  news: `SELECT max(coalesce((SELECT max(n) FROM entries), 0), coalesce((SELECT max(n) FROM changes), 0)),
    EXISTS (SELECT 1 FROM changes WHERE n > ? AND type NOT IN ('created', 'updated'))`,
  /** As `marks` in `statements.ts`, but only those behind a `seq`. */
  marks: `SELECT seq, id, kind, at, branch, iif(kind = 'message', NULL, body),
      (SELECT id FROM entries p WHERE p.conversation = m.conversation AND p.seq < m.seq ORDER BY p.seq DESC LIMIT 1)
    FROM entries m WHERE conversation = ? AND branch IS NOT NULL AND seq > ? ORDER BY seq`,
};

/**
 * Where conversations end and the last `n` of the feed, so that an append need
 * not ask. What this connection writes it notes here; `refresh` finds out
 * whether another one has written. Entries that came are counted on. Whatever
 * takes entries away, or changes them, leaves a row in `changes` with a higher
 * `n` than all before it: then everything is counted anew.
 */
export class Tails {
  readonly #sql: Statements;
  readonly #known = new Map<string, Cached>();
  #since: Record<keyof typeof SINCE, StatementSync> | undefined;
  #database: DatabaseSync | undefined;
  #version: unknown;
  #lastN: number | undefined;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** Without it everything is counted anew whenever another connection has written. */
  use(database: DatabaseSync): void {
    this.#database = database;
  }

  /** Inside a transaction, before anything else is asked. */
  refresh(): void {
    const version = (this.#sql.dataVersion.get() as unknown as Row)[0];
    if (this.#known.size > TAILS_MAX) this.clear();
    if (version === this.#version) return;
    this.#version = version;
    const [since, database] = [this.#lastN, this.#database];
    if (since === undefined || database === undefined) {
      this.clear();
      return;
    }
    this.#since ??= { news: prepared(database, SINCE.news), marks: prepared(database, SINCE.marks) };
    const [lastN, mayHaveTaken] = this.#since.news.get(since) as unknown as [number, number];
    if (mayHaveTaken === 1) this.clear();
    this.#lastN = lastN;
  }

  /** What was noted may have been rolled back. */
  clear(): void {
    this.#known.clear();
    this.#lastN = undefined;
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  get(id: string): KnownTail {
    const known = this.find(id);
    if (known === undefined) throw notFound(id);
    return known;
  }

  find(id: string): KnownTail | undefined {
    const known = this.#known.get(id);
    if (known !== undefined && known.version === this.#version) return known;
    const row = this.#sql.logEnd.get(id) as [number, number] | undefined;
    if (row === undefined) return undefined;
    // From here on it matters what comes after this `n`.
    this.lastN();
    const found = { n: row[0], logEnd: this.#load(known, ...row), version: this.#version };
    this.#known.set(id, found);
    return found;
  }

  #load(known: KnownTail | undefined, n: number, lastSeq: number): LogEnd {
    const marks = this.#since?.marks;
    if (known === undefined || marks === undefined || known.n !== n || known.logEnd.lastSeq > lastSeq)
      return loadLogEnd(this.#sql, n, lastSeq);
    const { logEnd } = known;
    if (logEnd.lastSeq === lastSeq) return logEnd;
    return logEndOf(this.#sql, n, lastSeq, logEnd.tree, marks.iterate(n, logEnd.lastSeq));
  }

  /** The next number of the one sequence that entries and changes are drawn from. */
  nextN(): number {
    this.#lastN = this.lastN() + 1;
    return this.#lastN;
  }

  lastN(): number {
    this.#lastN ??= (this.#sql.lastN.get() as unknown as Row)[0] as number;
    return this.#lastN;
  }
}

export function loadLogEnd(sql: Statements, n: number, lastSeq: number): LogEnd {
  return logEndOf(sql, n, lastSeq, PLAIN, sql.marks.iterate(n));
}

/** `known`, and the marks that came after it. */
function logEndOf(
  sql: Statements,
  n: number,
  lastSeq: number,
  known: Tree,
  marks: Iterable<unknown>,
): LogEnd {
  const tree = foldAll(known, marksIn(marks as Iterable<MarkRow>));
  // What lies off every path is no end of one: the entry before it is.
  const offPath = tree.current === OFF_PATH ? runsOf(tree).at(-1)?.[0] : undefined;
  const row = sql.idUpTo.get(n, offPath === undefined ? lastSeq : offPath - 1) as Row | undefined;
  return { lastSeq, last: (row?.[0] as string | undefined) ?? null, tree };
}

type MarkRow = [number, string, string, number, number, body: string | null, before: string | null];

function* marksIn(rows: Iterable<MarkRow>): Generator<readonly [Mark, string | null]> {
  for (const [seq, id, kind, at, branch, body, before] of rows) {
    const data = body === null ? undefined : (parsed(body) as Json | undefined);
    yield [{ seq, id, kind, at: isoTime(at), branch, data }, before];
  }
}

function prepared(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** What listings tell of the tree. */
export function summaryOf(logEnd: LogEnd): [head: string | null, branches: number, compactions: number] {
  const compactions = logEnd.tree.compactions.filter(({ undone }) => !undone);
  return [activeHead(logEnd), liveBranches(logEnd.tree).length, compactions.length];
}
