import { REMOVED_KIND } from "../../message/entry.ts";
import type { BlobRef, StoredEntry } from "../../message/types.ts";
import { pathOf, type SeqRange, within } from "../../tree/path.ts";
import { type LogEnd, type TreePlace, targetBranch } from "../../tree/place-entries.ts";
import { fold, OFF_PATH, ownerOf, PLAIN, type Tree } from "../../tree/tree.ts";
import type { AppendOperation, NewEntry } from "../operations.ts";
import type { EntryPage, PageQuery } from "../queries.ts";
import { entryNotFound, planSweep } from "../removal-rules.ts";

interface Line {
  readonly entry: Omit<StoredEntry, "message" | "data" | "blobs">;
  readonly branch: number;
  /** Stored as JSON, so that no caller holds a reference into the store. */
  readonly json: string;
  readonly blobs: readonly BlobRef[];
}

/** The content of entries that were removed or redacted. */
export interface Cut {
  readonly entries: number;
  readonly messages: number;
  readonly bytes: number;
  readonly hashes: readonly string[];
}

/** The entries of one conversation, in the order of their `seq`, which may have gaps. */
export class Log {
  end: LogEnd = { lastSeq: 0, last: null, tree: PLAIN };
  #lines: Line[] = [];
  readonly #seqById = new Map<string, number>();

  get length(): number {
    return this.#lines.length;
  }

  get bytes(): number {
    return this.#lines.reduce((sum, line) => sum + sizeOf(line), 0);
  }

  /** Each hash as often as entries refer to it. */
  get hashes(): string[] {
    return this.#lines.flatMap(hashesOf);
  }

  put(append: AppendOperation, places: readonly TreePlace[], logEnd: LogEnd): void {
    append.entries.forEach(({ id, kind, at, json, blobs = [] }: NewEntry, index) => {
      const { seq, parentId, branch } = places[index] as TreePlace;
      const { operationId } = append;
      const place = { id, seq, parentId, kind, at };
      const entry = operationId === undefined ? place : { ...place, operationId };
      this.#lines.push({ entry, branch, json, blobs: structuredClone(blobs) });
      this.#seqById.set(id, seq);
    });
    this.end = logEnd;
  }

  byOperation(operationId: string): StoredEntry[] {
    return this.#lines.filter(({ entry }) => entry.operationId === operationId).map(restored);
  }

  byId(id: string): StoredEntry | undefined {
    const line = this.#lineOf(id);
    return line === undefined ? undefined : restored(line);
  }

  seqOf(id: string): number | undefined {
    return this.#seqById.get(id);
  }

  page({ direction, from, limit, bytesMax, kind, ...query }: PageQuery): EntryPage {
    const forward = direction === "forward";
    const { lastSeq, tree } = this.end;
    const branch = query.branch === null ? undefined : targetBranch(tree, query.branch);
    const ranges: SeqRange[] = branch === undefined ? [[1, lastSeq]] : pathOf(tree, branch, lastSeq);
    const page: StoredEntry[] = [];
    let bytes = 0;
    for (const line of this.#walk(ranges, from, forward)) {
      if (kind !== undefined && line.entry.kind !== kind) continue;
      bytes += pageBytesOf(line);
      if (page.length >= limit || (page.length > 0 && bytes > bytesMax)) {
        return { entries: forward ? page : page.reverse(), more: true, branch };
      }
      page.push(restored(line));
    }
    return { entries: forward ? page : page.reverse(), more: false, branch };
  }

  /** The whole log, with the branch of each entry. */
  stored(query: PageQuery): EntryPage {
    const page = this.page({ ...query, branch: null });
    return { ...page, branches: page.entries.map(({ seq }) => ownerOf(this.end.tree, seq)) };
  }

  /** Replace the content of an entry with `json`. */
  redact(id: string, json: string): Cut {
    const line = this.#lineOf(id);
    if (line === undefined) throw entryNotFound(id);
    this.#lines[this.#indexOf(line.entry.seq)] = { ...line, json, blobs: [] };
    // The tree may repeat what is redacted, such as a label.
    if (line.entry.kind !== "message") this.end = { ...this.end, tree: this.#folded() };
    return { ...cut([line]), messages: 0 };
  }

  /** Remove the entries that no branch leads to. */
  sweep(): Cut {
    const { ranges, runStarts } = planSweep(this.end);
    const swept = [...this.#walk(ranges, null, true)].filter(({ entry }) => entry.kind !== REMOVED_KIND);
    const seqs = new Set(swept.map(({ entry }) => entry.seq));
    for (const { entry } of swept) if (!runStarts.has(entry.seq)) this.#seqById.delete(entry.id);
    this.#lines = this.#lines.flatMap((line) => {
      if (!seqs.has(line.entry.seq)) return [line];
      return runStarts.has(line.entry.seq) ? [emptied(line)] : [];
    });
    return cut(swept);
  }

  /** The lines of some ranges after (forward) or before (backward) a `seq`. */
  *#walk(ranges: readonly SeqRange[], from: number | null, forward: boolean): Generator<Line> {
    const step = forward ? 1 : -1;
    const asked = forward ? [(from ?? 0) + 1, Infinity] : [1, (from ?? Infinity) - 1];
    const found = within(ranges, ...(asked as [number, number]));
    for (const [first, last] of forward ? found : found.reverse()) {
      const [begin, end] = [this.#indexOf(first), this.#indexOf(last + 1)];
      for (let index = forward ? begin : end - 1; index >= begin && index < end; index += step) {
        yield this.#lines[index] as Line;
      }
    }
  }

  #lineOf(id: string): Line | undefined {
    const seq = this.#seqById.get(id);
    return seq === undefined ? undefined : this.#lines[this.#indexOf(seq)];
  }

  /** The index of the first line with this `seq` or a later one. */
  #indexOf(seq: number): number {
    let low = 0;
    for (let high = this.#lines.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle] as Line).entry.seq < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #folded(): Tree {
    let last: string | null = null;
    let tree = PLAIN;
    for (const line of this.#lines) {
      const { id, seq, kind, at } = line.entry;
      const { branch } = line;
      tree = fold(tree, { id, seq, kind, at, branch, data: restored(line).data }, last);
      if (branch !== OFF_PATH) last = id;
    }
    return tree;
  }
}

function emptied({ entry, branch }: Line): Line {
  const { operationId: _, ...place } = entry;
  return { entry: { ...place, kind: REMOVED_KIND }, branch, json: "{}", blobs: [] };
}

function cut(lines: readonly Line[]): Cut {
  return {
    entries: lines.length,
    messages: lines.filter(({ entry }) => entry.kind === "message").length,
    bytes: lines.reduce((sum, line) => sum + sizeOf(line), 0),
    hashes: lines.flatMap(hashesOf),
  };
}

function hashesOf({ blobs }: Line): string[] {
  return blobs.map(({ hash }) => hash);
}

function sizeOf({ json }: Line): number {
  return Buffer.byteLength(json);
}

/** The bytes that a line adds to a page: its message and the blobs it refers to. */
function pageBytesOf(line: Line): number {
  return line.blobs.reduce((sum, { size }) => sum + size, sizeOf(line));
}

function restored({ entry, json, blobs }: Line): StoredEntry {
  const { operationId, ...place } = entry;
  const value = JSON.parse(json);
  return {
    ...place,
    ...(entry.kind === "message" ? { message: value } : { data: value }),
    ...(operationId === undefined ? {} : { operationId }),
    ...(blobs.length === 0 ? {} : { blobs: structuredClone(blobs) }),
  };
}
