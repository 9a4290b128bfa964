import { activeHead, type Tail } from "../../tree/place.ts";
import { fold, liveBranches, OFF_PATH, PLAIN, type Tree } from "../../tree/tree.ts";
import type { Json } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import { notFound } from "../rules.ts";
import { parsed, type Row } from "./rows.ts";
import type { Statements } from "./statements.ts";

/** A conversation that is not in the trash: its row and where it ends. */
export interface KnownTail {
  readonly n: number;
  tail: Tail;
}

const TAILS_MAX = 10_000;

/**
 * Where conversations end and the last `n` of the feed, so that an append need
 * not ask. Valid as long as no other connection has written, which `refresh`
 * finds out; what this connection writes it notes here.
 */
export class Tails {
  readonly #sql: Statements;
  readonly #known = new Map<string, KnownTail>();
  #version: unknown;
  #lastN: number | undefined;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** Inside a transaction, before anything else is asked. */
  refresh(): void {
    const version = (this.#sql.dataVersion.get() as unknown as Row)[0];
    if (version !== this.#version || this.#known.size > TAILS_MAX) this.clear();
    this.#version = version;
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
    if (known !== undefined) return known;
    const row = this.#sql.tail.get(id) as Row | undefined;
    if (row === undefined) return undefined;
    const found = { n: row[0] as number, tail: loadTail(this.#sql, row[0] as number, row[1] as number) };
    this.#known.set(id, found);
    return found;
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

export function loadTail(sql: Statements, n: number, lastSeq: number): Tail {
  let tree: Tree = PLAIN;
  for (const row of sql.marks.iterate(n) as unknown as Iterable<Row>) tree = folded(tree, row);
  // What lies off every path is no end of one: the entry before it is.
  const offPath = tree.current === OFF_PATH ? tree.runs.at(-1)?.[0] : undefined;
  const row = sql.idUpTo.get(n, offPath === undefined ? lastSeq : offPath - 1) as Row | undefined;
  return { lastSeq, last: (row?.[0] as string | undefined) ?? null, tree };
}

type MarkRow = [number, string, string, number, number, body: string | null, before: string | null];

function folded(tree: Tree, row: Row): Tree {
  const [seq, id, kind, at, branch, body, before] = row as MarkRow;
  const data = body === null ? undefined : (parsed(body) as Json | undefined);
  return fold(tree, { seq, id, kind, at: isoTime(at), branch, data }, before);
}

/** What listings tell of the tree. */
export function summaryOf(tail: Tail): [head: string | null, branches: number, compactions: number] {
  const compactions = tail.tree.compactions.filter(({ undone }) => !undone);
  return [activeHead(tail), liveBranches(tail.tree).length, compactions.length];
}
