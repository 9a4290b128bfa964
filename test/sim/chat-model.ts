/** What is known of one conversation, and what calls that were never answered may have made of it. */
import { isDeepStrictEqual } from "node:util";
import type { AppendOperation, BlobPart } from "../../src/engine/index.ts";
import type { BlobRef, StoredEntry } from "../../src/message/types.ts";

/** Whether something was done: `maybe` until it is read. */
export type Sure = "no" | "maybe" | "yes";

export interface ModelEntry {
  readonly id: string;
  readonly kind: string;
  readonly json: string;
  /** The branch it is on; `null` for what is about the tree. */
  readonly branch: string | null;
  readonly blobs: readonly BlobRef[];
  /** A word that occurs in no other entry. */
  readonly word: string;
  seq: number;
  redacted: Sure;
  swept: Sure;
  /** Files that a redaction has said to hold it still. */
  copies: readonly string[];
}

export interface ModelBranch {
  readonly name: string;
  /** The entry of `main` that it leaves. */
  readonly from: string | null;
  readonly control: ModelEntry;
  pruned: boolean;
}

export const REDACTED = { role: "user", content: "[redacted]" } as const;

/** Appends that are not yet acknowledged, with what a retry needs. */
export interface MaybeAppend {
  readonly operation: AppendOperation;
  readonly entries: ModelEntry[];
}

export class ChatModel {
  readonly id: string;
  exists = false;
  trashed = false;
  maybeMoved = false;
  purged: Sure = "no";
  entries: ModelEntry[] = [];
  maybe: MaybeAppend[] = [];
  readonly branches: ModelBranch[] = [];
  /** There was a sweep: what a prune that got no answer left loose may be gone too. */
  maybeSwept = false;
  /** The text of a turn that is under way: acknowledged, and sent. */
  turn: { readonly id: string; kept: string; sent: string } | undefined;
  /** A turn that may have begun, or may have ended. */
  readonly maybeTurns: Set<string> = new Set();
  epoch = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** Entries whose words must be there. */
  get words(): ModelEntry[] {
    return this.entries.filter(({ swept, redacted }) => swept === "no" && redacted === "no");
  }

  take({ entries }: MaybeAppend): void {
    // A retry learns late of what was there before others.
    this.entries = [...this.entries, ...entries].sort((a, b) => a.seq - b.seq);
    this.maybe = this.maybe.filter((maybe) => maybe.entries !== entries);
    for (const entry of entries) {
      const value = JSON.parse(entry.json);
      if (value.type === "branch" && !this.branches.some(({ name }) => name === value.name))
        this.branches.push({ name: value.name, from: value.from, control: entry, pruned: false });
      if (value.type === "prune") {
        for (const branch of this.branches)
          if (value.branches.includes(branch.control.seq)) branch.pruned = true;
      }
    }
  }

  /** Compare with what was found, in order, and take over what came of unanswered calls. */
  settle(found: readonly StoredEntry[]): void {
    if (this.maybeSwept) this.#loosen(found);
    this.maybeSwept = false;
    const expected = this.entries;
    this.entries = [];
    let next = 0;
    const passSwept = (until: string | undefined): void => {
      for (; next < expected.length; next++) {
        const entry = expected[next] as ModelEntry;
        if (entry.id === until) return;
        if (entry.swept === "no") throw new Error(`lost: entry ${entry.id} of ${this.id} is gone`);
        entry.swept = "yes";
        this.entries.push(entry);
      }
    };
    for (let index = 0; index < found.length; ) {
      const { id } = found[index] as StoredEntry;
      if (expected.some((entry) => entry.id === id)) {
        passSwept(id);
        this.#same(expected[next] as ModelEntry, found[index] as StoredEntry);
        this.entries.push(expected[next++] as ModelEntry);
        index++;
        continue;
      }
      const maybe = this.maybe.find(({ entries }) => entries[0]?.id === id);
      if (maybe === undefined) throw new Error(`entry ${id} is unknown, or there twice`);
      for (const entry of maybe.entries) {
        const one = found[index];
        if (one?.id === entry.id) {
          index++;
          entry.seq = one.seq;
          this.#same(entry, one);
        } else if (entry.swept === "no") {
          throw new Error(`half of an append is there: ${entry.id} is missing`);
        } else entry.swept = "yes";
      }
      this.take(maybe);
    }
    passSwept(undefined);
  }

  /** Entries of branches that were pruned by what is found. */
  #loosen(found: readonly StoredEntry[]): void {
    type Control = { type?: string; name?: string; branches?: number[] };
    const controls = found.map(({ data, seq }) => ({ seq, ...(data as Control | undefined) }));
    const pruned = new Set(controls.flatMap(({ type, branches = [] }) => (type === "prune" ? branches : [])));
    const names = new Set(controls.filter(({ seq }) => pruned.has(seq)).map(({ name }) => name));
    for (const entry of [...this.maybe.flatMap(({ entries }) => entries), ...this.entries]) {
      if (entry.branch !== null && names.has(entry.branch) && entry.swept === "no") entry.swept = "maybe";
    }
  }

  #same(entry: ModelEntry, found: StoredEntry): void {
    if (found.kind === "removed") {
      if (entry.swept === "no") throw new Error(`entry ${entry.id} was removed`);
      entry.swept = "yes";
      return;
    }
    if (entry.swept === "yes") throw new Error(`entry ${entry.id} was swept and is there`);
    entry.swept = "no";
    if (entry.seq !== found.seq) throw new Error(`entry ${entry.id} moved to ${found.seq}`);
    const value = found.message ?? found.data;
    const isAsWritten = isDeepStrictEqual(value, JSON.parse(entry.json));
    const isRedacted = isDeepStrictEqual(value, REDACTED) && found.blobs === undefined;
    if (entry.redacted !== "no" && isRedacted) entry.redacted = "yes";
    else if (entry.redacted !== "yes" && isAsWritten) entry.redacted = "no";
    else throw new Error(`entry ${entry.id} holds ${JSON.stringify(value)}`);
  }

  /** The ids of a branch's path. */
  path(name: string): string[] {
    const branch = this.branches.find((one) => one.name === name);
    const forkSeq = this.entries.find(({ id }) => id === branch?.from)?.seq ?? 0;
    const shared = (entry: ModelEntry): boolean =>
      entry.branch === "main" && (name === "main" || entry.seq <= forkSeq);
    return this.entries.filter((entry) => shared(entry) || entry.branch === name).map(({ id }) => id);
  }
}

export function sameBytes(part: BlobPart | undefined, bytes: Buffer | undefined): boolean {
  return part !== undefined && bytes !== undefined && Buffer.from(part.data).equals(bytes);
}
