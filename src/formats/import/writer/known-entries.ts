/** What a conversation of the store holds already, so that nothing is kept twice. */
import { hash } from "node:crypto";
import type { Message, StoredEntry } from "../../../message/types.ts";
import { isPlainObject, type Json, type JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import type { SourceEntry, SourceRecord } from "../../contract/reader.ts";
import { shortJson } from "../text-placeholders.ts";
import { type KeptRecord, restoreRecord } from "./kept-records.ts";

/** Beyond this the oldest are forgotten, and the store is asked. */
const IDS_MAX = 100_000;

export class KnownEntries {
  /** The number of an entry, by its id or another name of it; 0 while it is being written. */
  #ids: Map<string, number> = new Map();
  readonly #names: Map<string, string> = new Map();
  readonly #records: Set<string> = new Set();
  readonly #contents: Map<string, string> = new Map();
  readonly #removed: Set<string> = new Set();
  /** Redacted or removed: whatever a source says of it, it stays so. */
  readonly #final: Set<string> = new Set();
  /** Whether an id that is not here is not in the store either. */
  complete = true;

  get size(): number {
    return this.#ids.size;
  }

  seqOf(id: string): number | undefined {
    return this.#ids.get(id);
  }

  /** The id under which the store has it, for an id or another name of it. */
  idOf(name: string): string | undefined {
    return this.#names.get(name) ?? (this.#ids.has(name) ? name : undefined);
  }

  add(id: string, seq: number, aliases: readonly string[] = []): void {
    this.#ids.set(id, seq);
    for (const alias of aliases) this.#names.set(alias, id);
    if (this.#ids.size + this.#names.size > IDS_MAX) this.#forgetHalf();
  }

  #forgetHalf(): void {
    this.complete = false;
    this.#ids = new Map([...this.#ids].slice(this.#ids.size >> 1));
    for (const [alias, id] of this.#names) if (!this.#ids.has(id)) this.#names.delete(alias);
  }

  /** Another name of an entry, which may not be known otherwise. */
  addName(name: string, id: string): void {
    this.#names.set(name, id);
  }

  /** A person has pruned it: what follows it was pruned with it. */
  remove(names: readonly string[]): void {
    for (const name of names) this.#removed.add(name);
  }

  isRemoved(name: string): boolean {
    return this.#removed.size > 0 && this.#removed.has(name);
  }

  /** An entry of the store, with all that it was made of. */
  load(entry: StoredEntry): void {
    const value = (entry.message ?? entry.data) as Message | JsonObject | undefined;
    const provenance = isPlainObject(value?.provenance) ? value.provenance : {};
    const aliases = Array.isArray(provenance.aliases) ? provenance.aliases : [];
    const names = typeof provenance.id === "string" ? [...aliases, provenance.id] : aliases;
    this.add(entry.id, entry.seq, names);
    if (entry.kind === "removed") this.remove([entry.id, ...names]);
    if (isFinal(entry)) this.#final.add(entry.id);
    for (const kept of keptIn(value)) this.#records.add(fingerprintOf(restoreRecord(kept, entry.message)));
    if (value !== undefined) this.#contents.set(entry.id, contentFingerprint(value));
  }

  /** Where nothing is written, what was read is remembered instead. */
  note(id: string, value: Message | JsonObject): void {
    this.#contents.set(id, contentFingerprint(value));
  }

  hasRecord({ value }: Pick<SourceRecord, "value">): boolean {
    if (this.#records.size === 0) return false;
    const fingerprint = fingerprintOf(value);
    return fingerprint !== "" && this.#records.has(fingerprint);
  }

  /**
   * An entry of that id is there, and it was made of the same or says the
   * same. The records alone prove nothing: where a source has neither ids nor
   * times, a person who says the same twice writes the same record twice.
   */
  holds({ id, aliases = [], records, message, data }: SourceEntry): boolean {
    const knownId = this.#contents.size === 0 ? undefined : this.idOf(id);
    if (knownId === undefined) return false;
    if (this.#final.has(knownId)) return true;
    // Made of several parts, each of which is there, however they were put together then.
    if (aliases.length > 0 && aliases.every((alias) => this.idOf(alias) !== undefined)) return true;
    if (records.length > 0 && records.every((record) => this.hasRecord(record))) return true;
    const known = this.#contents.get(knownId);
    const value = message ?? data;
    return known !== undefined && value !== undefined && known === contentFingerprint(value);
  }
}

/** The records that an entry of the store was made of, and those that travelled with it. */
export function keptIn(value: Message | JsonObject | undefined): KeptRecord[] {
  const source = value?.source;
  if (!isPlainObject(source)) return [];
  const { records, notes } = source;
  return [...listOf(records), ...listOf(notes)];
}

function listOf(value: unknown): KeptRecord[] {
  return Array.isArray(value) ? value.filter((item): item is KeptRecord => isPlainObject(item)) : [];
}

/** Erased by a person, or pruned: nothing takes its place. */
export function isFinal({ kind, message, data }: StoredEntry): boolean {
  const noted = message === undefined ? data : message.extra?.colloquy;
  return kind === "removed" || (isPlainObject(noted) && ("redactedAt" in noted || "redacted_at" in noted));
}

/** What another version of an entry is called. */
export function versionId(id: string, fingerprint: string): string {
  return `${id.slice(0, 200)}~${madeId(fingerprint).slice(0, 8)}`;
}

/** Of what was said, without how it came about: a copy of a conversation may have lost that. */
export function contentFingerprint(value: Message | JsonObject): string {
  if ("role" in value && "content" in value) return fingerprintOf([value.role, value.content] as Json);
  const { provenance: _, source: __, ...own } = value;
  return fingerprintOf(own as Json);
}

function fingerprintOf(value: Json): string {
  try {
    return hash("sha1", shortJson(value), "base64").slice(0, 16);
  } catch {
    // Nested too deeply to be written out: it is read anew each time.
    return "";
  }
}
