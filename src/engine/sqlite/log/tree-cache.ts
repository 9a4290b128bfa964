import { activeHead, type LogEnd } from "../../../tree/place-entries.ts";
import { foldAll, liveBranches, liveCompactions, type Mark, OFF_PATH, PLAIN } from "../../../tree/tree.ts";
import { runsOf } from "../../../tree/tree-builder.ts";
import type { Json } from "../../../util/json.ts";
import { isoTime } from "../../../util/time.ts";
import { notFound } from "../../rules.ts";
import type { Damage } from "../damage.ts";
import { isIntact, parsed, type Row } from "../rows.ts";
import type { Statements } from "../statements.ts";
import { rowSum } from "../sums.ts";

/** What the row of a conversation says of its entries, as far as it does not follow from where its log ends. */
export interface Counts {
  readonly messages: number;
  readonly lastMessageMs: number | null;
  readonly activeMs: number;
  readonly branches: number;
  readonly compactions: number;
  /** How its checksum differs from the right one; 0 when it does not. A damaged row must stay recognisable. */
  readonly fault: number;
}

/** A conversation: its row, its tree and where its log ends. */
export interface CachedTree {
  readonly n: number;
  logEnd: LogEnd;
  counts: Counts;
}

interface Cached extends CachedTree {
  /** The version of the file for which it is known to be right. */
  version: unknown;
  /** Whether every mark of its tree could be read. */
  readonly isWhole: boolean;
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
  readonly #damage: Damage;
  readonly #cached = new Map<string, Cached>();
  #version: unknown;
  #lastN: number | undefined;

  constructor(sql: Statements, damage: Damage) {
    this.#sql = sql;
    this.#damage = damage;
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
    const row = this.#sql.liveConversation.get<CountsRow>(id);
    if (row === undefined) return undefined;
    // From here on, changes after this `n` matter.
    this.lastN();
    const found = { ...this.#load(id, row, cached), version: this.#version };
    this.#cached.set(id, found);
    return found;
  }

  /** Also from the trash, whose trees are not cached: they are rarely read. */
  findAnywhere(id: string): CachedTree | undefined {
    const live = this.find(id);
    if (live !== undefined) return live;
    const row = this.#sql.conversation.get<CountsRow>(id);
    return row === undefined ? undefined : this.#load(id, row, undefined);
  }

  #counts(id: string, row: CountsRow): Counts {
    const [, , lastMessageMs, activeMs, messages, , , branches, compactions, tally] = row;
    const fault = tally ^ rowSum(...row.slice(0, -1));
    if (fault !== 0) this.#damage.damaged(`Conversation ${id}: its metadata does not match its checksum`);
    return { messages, lastMessageMs, activeMs, branches, compactions, fault };
  }

  #load(id: string, row: CountsRow, cached: Cached | undefined): Omit<Cached, "version"> {
    const [n, , , , , lastSeq] = row;
    const counts = this.#counts(id, row);
    const known = cached?.n === n && cached.logEnd.lastSeq <= lastSeq ? cached : undefined;
    let isWhole = known?.isWhole ?? true;
    const logEnd =
      known?.logEnd.lastSeq === lastSeq
        ? known.logEnd
        : loadLogEnd(this.#sql, n, lastSeq, known?.logEnd, (problem) => {
            isWhole = false;
            this.#damage.damaged(problem);
          });
    if (isWhole && counts.fault === 0) this.#compare(id, row, logEnd);
    return { n, logEnd, counts, isWhole };
  }

  /** An index that hides an entry leads to another tree than the one that was counted when it was written. */
  #compare(id: string, [, , , , , , head, branches, compactions]: CountsRow, logEnd: LogEnd): void {
    const found = summaryOf(logEnd);
    if (found[0] === head && found[1] === branches && found[2] === compactions) return;
    this.#damage.hidden(`an index hides entries of conversation ${id}`);
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

type CountsRow = [
  n: number,
  updatedMs: number,
  lastMessageMs: number | null,
  activeMs: number,
  messages: number,
  lastSeq: number,
  head: string | null,
  branches: number,
  compactions: number,
  tally: number,
];

type Damaged = (problem: string) => void;

/** The tree of a conversation and where its log ends, read from its marks: all of them, or those after `known`. */
export function loadLogEnd(
  sql: Statements,
  n: number,
  lastSeq: number,
  known: LogEnd = EMPTY,
  damaged: Damaged = () => {},
): LogEnd {
  const tree = foldAll(known.tree, marksIn(sql.marks.iterate<MarkRow>(n, known.lastSeq), damaged));
  // An entry off every path ends none; the entry before it does.
  const offPath = tree.current === OFF_PATH ? runsOf(tree).at(-1)?.[0] : undefined;
  const row = sql.lastIdUpTo.get(n, offPath === undefined ? lastSeq : offPath - 1);
  return { lastSeq, last: (row?.[0] as string | undefined) ?? null, tree };
}

const EMPTY: LogEnd = { lastSeq: 0, last: null, tree: PLAIN };

/** `ENTRY_COLUMNS`, and the entry before it. */
type MarkRow = [
  id: string,
  seq: number,
  parentId: string | null,
  kind: string,
  at: number,
  op: string | null,
  body: string,
  blobs: string | null,
  n: number,
  conversation: number,
  branch: number,
  sum: number,
  before: string | null,
];

/** Of a damaged mark only its place counts: entries after it are on its branch. */
function* marksIn(rows: Iterable<MarkRow>, damaged: Damaged): Generator<readonly [Mark, string | null]> {
  for (const row of rows) {
    const [id, seq, , kind, at, , body, , , , branch, , before] = row;
    if (isIntact(row)) {
      const data = kind === "message" ? undefined : (parsed(body) as Json | undefined);
      yield [{ seq, id, kind, at: isoTime(at), branch, data }, before];
    } else {
      damaged(`Entry ${id} does not match its checksum`);
      yield [{ seq, id, kind: "message", at: "", branch, data: undefined }, before];
    }
  }
}

/** What listings show of the tree. */
export function summaryOf(logEnd: LogEnd): [head: string | null, branches: number, compactions: number] {
  const { tree } = logEnd;
  return [activeHead(logEnd), liveBranches(tree).length, liveCompactions(tree).length];
}
