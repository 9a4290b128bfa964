import { activeHead, type LogEnd } from "../../../tree/place-entries.ts";
import { foldAll, liveBranches, liveCompactions, type Mark, OFF_PATH, PLAIN } from "../../../tree/tree.ts";
import { runsOf } from "../../../tree/tree-builder.ts";
import type { Json } from "../../../util/json.ts";
import { isoTime } from "../../../util/time.ts";
import { notFound } from "../../rules.ts";
import { parsed, type Row } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** A conversation: its row, its tree and where its log ends. */
export interface CachedTree {
  readonly n: number;
  logEnd: LogEnd;
}

interface Cached extends CachedTree {
  /** The version of the file for which it is known to be right. */
  version: unknown;
}

const TREES_MAX = 10_000;

/**
 * The trees of conversations and the last `n` of the feed, so that an append
 * need not read them. What this connection writes is recorded here; `refresh`
 * finds out whether another connection has written. Entries that it added are
 * folded into the cached tree. Whatever removes or changes entries leaves a row
 * in `changes` with a higher `n` than all before it: then every tree is read
 * again.
 */
export class TreeCache {
  readonly #sql: Statements;
  readonly #cached = new Map<string, Cached>();
  #version: unknown;
  #lastN: number | undefined;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** First in every transaction. */
  refresh(): void {
    const version = (this.#sql.dataVersion.get() as Row)[0];
    if (this.#cached.size > TREES_MAX) this.clear();
    if (version === this.#version) return;
    this.#version = version;
    if (this.#lastN === undefined) return;
    const [lastN, entriesChanged] = this.#sql.changesSince.get(this.#lastN) as [number, number];
    if (entriesChanged === 1) this.clear();
    this.#lastN = lastN;
  }

  clear(): void {
    this.#cached.clear();
    this.#lastN = undefined;
  }

  forget(id: string): void {
    this.#cached.delete(id);
  }

  get(id: string): CachedTree {
    const cached = this.find(id);
    if (cached === undefined) throw notFound(id);
    return cached;
  }

  /** `undefined` for a conversation in the trash. */
  find(id: string): CachedTree | undefined {
    const cached = this.#cached.get(id);
    if (cached !== undefined && cached.version === this.#version) return cached;
    const row = this.#sql.liveConversation.get<[number, number]>(id);
    if (row === undefined) return undefined;
    // From here on, changes after this `n` matter.
    this.lastN();
    const found = { n: row[0], logEnd: this.#load(cached, ...row), version: this.#version };
    this.#cached.set(id, found);
    return found;
  }

  /** Also from the trash, whose trees are not cached: they are rarely read. */
  findAnywhere(id: string): CachedTree | undefined {
    const live = this.find(id);
    if (live !== undefined) return live;
    const row = this.#sql.conversation.get<[number, number]>(id);
    return row === undefined ? undefined : { n: row[0], logEnd: loadLogEnd(this.#sql, ...row) };
  }

  #load(cached: CachedTree | undefined, n: number, lastSeq: number): LogEnd {
    if (cached === undefined || cached.n !== n || cached.logEnd.lastSeq > lastSeq) {
      return loadLogEnd(this.#sql, n, lastSeq);
    }
    return cached.logEnd.lastSeq === lastSeq
      ? cached.logEnd
      : loadLogEnd(this.#sql, n, lastSeq, cached.logEnd);
  }

  /** The next number of the one sequence that entries and changes share. */
  nextN(): number {
    this.#lastN = this.lastN() + 1;
    return this.#lastN;
  }

  lastN(): number {
    this.#lastN ??= (this.#sql.lastN.get() as Row)[0] as number;
    return this.#lastN;
  }
}

/** The tree of a conversation and where its log ends, read from its marks: all of them, or those after `known`. */
export function loadLogEnd(sql: Statements, n: number, lastSeq: number, known: LogEnd = EMPTY): LogEnd {
  const tree = foldAll(known.tree, marksIn(sql.marks.iterate<MarkRow>(n, known.lastSeq)));
  // An entry off every path ends none; the entry before it does.
  const offPath = tree.current === OFF_PATH ? runsOf(tree).at(-1)?.[0] : undefined;
  const row = sql.lastIdUpTo.get(n, offPath === undefined ? lastSeq : offPath - 1);
  return { lastSeq, last: (row?.[0] as string | undefined) ?? null, tree };
}

const EMPTY: LogEnd = { lastSeq: 0, last: null, tree: PLAIN };

type MarkRow = [number, string, string, number, number, body: string | null, before: string | null];

function* marksIn(rows: Iterable<MarkRow>): Generator<readonly [Mark, string | null]> {
  for (const [seq, id, kind, at, branch, body, before] of rows) {
    const data = body === null ? undefined : (parsed(body) as Json | undefined);
    yield [{ seq, id, kind, at: isoTime(at), branch, data }, before];
  }
}

/** What listings show of the tree. */
export function summaryOf(logEnd: LogEnd): [head: string | null, branches: number, compactions: number] {
  const { tree } = logEnd;
  return [activeHead(logEnd), liveBranches(tree).length, liveCompactions(tree).length];
}
