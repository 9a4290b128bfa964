/**
 * Converts a legacy transcript to a v2 log.
 *
 * It works line by line, in one pass, and is deterministic: a longer file only adds lines at the end. So a
 * file can be read as a log, under stable ids, long before anything is written to it.
 */

import type { RawLine } from "../../../disk/line-scan.ts";
import { LINE_BYTES_MAX } from "../../../disk/line-scan.ts";
import { resultsId } from "../../../message/apis/flat-line.ts";
import { FlatTools } from "../../../message/apis/flat-tools.ts";
import { encodeEntry, encodeHeader, type Header } from "../../../transcript/lines.ts";
import { bareLine } from "../../../transcript/log-state.ts";
import { entriesInCycles, type OddParent, oddParentText } from "../../../tree/cycles.ts";
import { MAIN, MAIN_NAME, OFF_PATH } from "../../../tree/tree.ts";
import type { JsonObject } from "../../../util/json.ts";
import { isoTime, timeOf } from "../../../util/time.ts";
import { madeId, uuidFromHash } from "../../../util/uuid.ts";
import { isMetadata, type LegacyBody, type LegacyRecord, readBody, readRecord } from "./legacy-record.ts";

/** A line that does not convert to an entry, or not faithfully. */
export interface LegacyProblem {
  /** The line of the legacy file, from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly code: "bad-line" | "duplicate-id" | OddParent;
  readonly reason: string;
}

interface Spot {
  readonly id: string;
  readonly seq: number;
}

const LINE_END = Buffer.from("\n");

export class LegacyConverter {
  readonly #problems: (LegacyProblem & {
    readonly odd?: { readonly id: string; readonly parent: string };
  })[] = [];
  /** Of every entry from the first one whose parent is missing: those before it follow earlier ones only. */
  readonly #parents = new Map<string, string | null>();
  readonly #name: string;
  /** Entries that have an id of their own: only these can be named as a parent. */
  readonly #named = new Map<string, Spot>();
  /** The last entry of each branch. */
  readonly #heads = new Map<number, string>();
  readonly #names = new Map<number, string>();
  readonly #out: Buffer[];
  readonly #tools = new FlatTools();
  #line = 0;
  #record = 0;
  #seq = 0;
  #branch: number = MAIN;
  #branches = 1;
  #atMs: number;
  #last: Spot | undefined;
  #isFirst = true;

  /** `name` is that of the file: ids are made of it and of the place of the line. */
  constructor(name: string, header: Header) {
    this.#name = name;
    this.#atMs = timeOf(header.createdAt);
    this.#out = [encodeHeader(header)];
  }

  /** A parent that was missing when its child was read may have come since. */
  get problems(): LegacyProblem[] {
    const circular = this.#parents.size === 0 ? undefined : entriesInCycles(this.#parents);
    return this.#problems.map(({ odd, ...problem }) => {
      if (odd === undefined || !this.#named.has(odd.parent)) return problem;
      const code = circular?.has(odd.id) ? "cycle" : "late-parent";
      return { ...problem, code, reason: `it ${oddParentText(code, odd.id, odd.parent)}` };
    });
  }

  /** What came out since the last call. */
  take(): Buffer {
    return Buffer.concat(this.#out.splice(0));
  }

  add(raw: RawLine): void {
    this.#line++;
    const bytes = bareLine(raw);
    if (bytes?.length === 0) return;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const text = bytes?.toString("utf8");
    // It became the header, and its other properties are in the metadata.
    if (isFirst && text !== undefined && isMetadataLine(text)) return;
    const record = text === undefined ? "longer than the limit for a line" : readRecord(text);
    this.#record++;
    if (typeof record === "string") this.#keep(raw, bytes, record);
    else this.#put(raw, record);
  }

  /** A line that is unreadable is copied unchanged. One that is too long stays in the legacy file only. */
  #keep(raw: RawLine, bytes: Buffer | undefined, reason: string): void {
    this.#problem(raw, "bad-line", reason);
    if (bytes === undefined) return;
    this.#seq++;
    this.#out.push(Buffer.from(bytes), LINE_END);
  }

  #put(raw: RawLine, record: LegacyRecord): void {
    const known = this.#problems.length;
    const id = this.#idOf(raw, record);
    const parent = this.#parentOf(raw, record, id);
    if (this.#parents.size > 0 && !this.#parents.has(id)) this.#parents.set(id, parent?.id ?? null);
    const body = readBody(record.line, id, this.#tools);
    const json = this.#problems.length === known ? body.json : withClaims(record, body);
    this.#atMs = record.atMs ?? this.#atMs;
    this.#goTo(parent);
    const spot = this.#entry(raw, { ...body, json }, id, parent?.id ?? null, record.operationId);
    if (spot === undefined) return;
    const answer = { kind: "message", json: body.results ?? "", data: undefined } as const;
    const last =
      body.results === undefined ? spot : (this.#entry(raw, answer, resultsId(id), id, undefined) ?? spot);
    if (last !== spot && this.#parents.size > 0) this.#parents.set(last.id, id);
    if (record.id === id) this.#named.set(id, last);
    this.#last = last;
  }

  #entry(
    raw: RawLine,
    { kind, json, data }: Pick<LegacyBody, "kind" | "json" | "data">,
    id: string,
    parentId: string | null,
    operationId: string | undefined,
  ): Spot | undefined {
    const place = { seq: this.#seq + 1, parentId, branch: this.#branch, operationId, batch: undefined };
    const line = encodeEntry({ id, kind, at: isoTime(this.#atMs), json, data }, place);
    if (line.length > LINE_BYTES_MAX) {
      this.#problem(raw, "bad-line", "longer than the limit for a line");
      return undefined;
    }
    this.#seq++;
    this.#out.push(line);
    this.#heads.set(this.#branch, id);
    return { id, seq: this.#seq };
  }

  #idOf(raw: RawLine, { id }: LegacyRecord): string {
    if (id === undefined) return this.#made("entry");
    if (!this.#named.has(id)) return id;
    this.#problem(raw, "duplicate-id", `entry ${id} occurs twice`);
    return this.#made("entry");
  }

  /** `undefined` for the first entry of a path. */
  #parentOf(raw: RawLine, { parentId }: LegacyRecord, id: string): Spot | undefined {
    if (parentId === null) return undefined;
    if (parentId === undefined) return this.#last;
    const found = this.#named.get(parentId);
    if (found === undefined) {
      const reason = `it ${oddParentText("dangling-parent", id, parentId)}`;
      this.#problem(raw, "dangling-parent", reason, { id, parent: parentId });
      this.#parents.set(id, parentId);
      return this.#last;
    }
    return found;
  }

  /** Switch to a branch that ends with the parent: the current one, another one, or a new one. */
  #goTo(parent: Spot | undefined): void {
    const endsHere = (branch: number): boolean => (this.#heads.get(branch) ?? undefined) === parent?.id;
    if (endsHere(this.#branch)) return;
    const other = [...this.#heads.keys()].find(endsHere);
    if (other !== undefined) {
      this.#control({ type: "checkout", branch: other, name: this.#names.get(other) ?? MAIN_NAME }, null);
      this.#branch = other;
      return;
    }
    const name = `branch-${this.#branches++}`;
    const from = parent?.id ?? null;
    this.#control({ type: "branch", name, from, from_seq: parent?.seq ?? 0, checkout: true }, from);
    this.#branch = this.#seq;
    this.#names.set(this.#branch, name);
  }

  #control(data: JsonObject, parentId: string | null): void {
    const [id, at] = [this.#made("control"), isoTime(this.#atMs)];
    const json = JSON.stringify(data);
    const place = { seq: ++this.#seq, parentId, branch: OFF_PATH, operationId: undefined, batch: undefined };
    this.#out.push(encodeEntry({ id, kind: "info", at, json, data }, place));
  }

  #made(what: string): string {
    return madeId(this.#name, this.#record, what);
  }

  #problem(
    { start, end }: RawLine,
    code: LegacyProblem["code"],
    reason: string,
    odd?: { readonly id: string; readonly parent: string },
  ): void {
    const problem = { line: this.#line, start, end, code, reason };
    this.#problems.push(odd === undefined ? problem : { ...problem, odd });
  }
}

/** Keeps the original id and parent with the message if they had to change. */
function withClaims({ id, parentId }: LegacyRecord, { kind, json }: LegacyBody): string {
  if (kind !== "message") return json;
  const message = JSON.parse(json) as JsonObject;
  const extra = message.extra as JsonObject | undefined;
  return JSON.stringify({ ...message, extra: { ...extra, legacy: { id, parent_id: parentId } } });
}

function isMetadataLine(text: string): boolean {
  try {
    return isMetadata(JSON.parse(text));
  } catch {
    return false;
  }
}

/** The id of a conversation that has none: the same on every machine. */
export function madeUuid(...from: readonly string[]): string {
  return uuidFromHash(JSON.stringify(["conversation", ...from]));
}
