/** The entries that a conversation of the store already has, so that nothing is stored twice. */

import { hash } from "node:crypto";
import { REMOVED_KIND } from "../../../message/entry.ts";
import type { Message, StoredEntry } from "../../../message/types.ts";
import { originalIn, provenanceIn } from "../../../store/originals/provenance.ts";
import { isOffPath } from "../../../tree/control.ts";
import { isPlainObject, type Json, type JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import { shortJson } from "../text-placeholders.ts";
import { EntryTable } from "./entry-table.ts";
import type { UnboundEntry } from "./stored-entry.ts";

/**
 * With more names than this, the older half is kept in a table, in a tenth of the memory. To continue after another
 * name of an entry in there takes a look into the store, so the table is for entries that few others will follow.
 */
const NAMES_MAX = 25_000;

/** Entries that are not in the store, with their other names. */
export interface KnownJson {
  readonly ids: readonly (readonly [id: string, fingerprint: string | null])[];
  readonly names: readonly (readonly [name: string, id: string])[];
}

export class KnownEntries {
  /** The `seq` of each entry by id; 0 while it is being written. */
  #ids: Map<string, number> = new Map();
  readonly #names: Map<string, string> = new Map();
  readonly #contents: Map<string, string> = new Map();
  /** The contents of some entries are known, if only those of older ones. */
  #knowsContents = false;
  /** The older entries of a long conversation. */
  readonly #older: EntryTable = new EntryTable();
  readonly #removed: Set<string> = new Set();
  /** The last entry of each original that the store had. */
  readonly #lastOf: Map<number, Pick<StoredEntry, "id" | "seq" | "at">> = new Map();
  /** Redacted or removed entries, which no source may bring back. */
  readonly #final: Set<string> = new Set();
  /** Whether an id that is unknown here is not in the store either. */
  complete = true;
  #namesMax: number;
  /** Entries that are not in the store are among the older ones. */
  #isLong = false;

  constructor(namesMax: number = NAMES_MAX) {
    this.#namesMax = namesMax;
  }

  /** By an id or another name. */
  seqOf(name: string): number | undefined {
    const id = this.#names.get(name) ?? name;
    return this.#ids.get(id) ?? this.#older.get(id)?.seq;
  }

  /** The id in the store, by an id or another name. */
  idOf(name: string): string | undefined {
    const id = this.#names.get(name);
    if (id !== undefined) return id;
    return this.#ids.has(name) || this.#older.get(name)?.isAlias === false ? name : undefined;
  }

  /** Whether the store has or may have an entry of this name, although its id is not known here. */
  mayBeStored(name: string): boolean {
    return this.idOf(name) === undefined && (!this.complete || this.#has(name));
  }

  #has(name: string): boolean {
    return this.idOf(name) !== undefined || this.#older.get(name) !== undefined;
  }

  add(id: string, seq: number, aliases: readonly string[] = []): void {
    this.#ids.set(id, seq);
    for (const alias of aliases) this.#names.set(alias, id);
    if (this.#ids.size + this.#names.size > this.#namesMax) this.#moveOlder();
  }

  #moveOlder(): void {
    const all = [...this.#ids];
    const older = new Map(all.slice(0, all.length >> 1));
    this.#ids = new Map(all.slice(all.length >> 1));
    for (const [id, seq] of older) {
      this.#older.set(id, seq, false, this.#contents.get(id) ?? "");
      this.#isLong ||= seq === 0;
    }
    for (const [alias, id] of this.#names) {
      const seq = older.get(id);
      // The name of another version is the id of the first.
      const isId = this.#ids.has(alias) || this.#older.get(alias)?.isAlias === false;
      if (seq === undefined || isId) continue;
      this.#older.set(alias, seq, true, this.#contents.get(id) ?? "");
      this.#names.delete(alias);
    }
    for (const id of older.keys()) this.#contents.delete(id);
    this.#namesMax = Math.max(this.#namesMax, 2 * (this.#ids.size + this.#names.size));
  }

  /** Another name of an entry that need not be known. */
  addName(name: string, id: string): void {
    this.#names.set(name, id);
  }

  /** Pruned by the user, together with everything that followed. */
  remove(names: readonly string[]): void {
    for (const name of names) this.#removed.add(name);
  }

  isRemoved(name: string): boolean {
    return this.#removed.size > 0 && this.#removed.has(name);
  }

  /** Redacted or pruned. */
  isErased(name: string): boolean {
    return this.isRemoved(name) || this.#final.has(this.idOf(name) ?? name);
  }

  /** Add an entry of the store. */
  load(entry: StoredEntry): void {
    const value = (entry.message ?? entry.data) as Message | JsonObject | undefined;
    const provenance = provenanceIn(entry);
    const original = originalIn(entry);
    const aliases = Array.isArray(provenance.aliases) ? provenance.aliases : [];
    const names = typeof provenance.id === "string" ? [...aliases, provenance.id] : aliases;
    this.add(entry.id, entry.seq, names);
    if (entry.kind === REMOVED_KIND) this.remove([entry.id, ...names]);
    const data = isPlainObject(entry.data) ? entry.data : undefined;
    if (original !== undefined && !isOffPath(entry.kind, data))
      this.#lastOf.set(original, { id: entry.id, seq: entry.seq, at: entry.at });
    if (isFinal(entry)) for (const name of [entry.id, ...aliases]) this.#final.add(name);
    if (value !== undefined) this.note(entry.id, value);
  }

  /** The last entry that an earlier import made of these originals. */
  lastOf(originals: readonly number[]): Pick<StoredEntry, "id" | "at"> | undefined {
    const found = originals.flatMap((number) => this.#lastOf.get(number) ?? []);
    return found.sort((a, b) => b.seq - a.seq)[0];
  }

  /** Of the last entries that earlier imports made of all other originals, the latest. */
  lastOfOthers(isOwn: (original: number) => boolean): Pick<StoredEntry, "id" | "at"> | undefined {
    const others = [...this.#lastOf].flatMap(([original, last]) => (isOwn(original) ? [] : last));
    return others.sort((a, b) => Date.parse(b.at) - Date.parse(a.at) || b.seq - a.seq)[0];
  }

  /** Remember what an entry says: one of the store or, in a run that writes nothing, one that was read. */
  note(id: string, value: Message | JsonObject): void {
    this.#keep(id, contentFingerprint(value));
  }

  #keep(id: string, fingerprint: string): void {
    this.#contents.set(id, fingerprint);
    this.#knowsContents = true;
  }

  /** For runs that write nothing: what to know in another file of the conversation. Itself, if that is a lot. */
  preview(): KnownJson | this {
    if (this.#isLong) return this;
    const added = [...this.#ids].filter(([, seq]) => seq === 0);
    const ids = added.map(([id]) => [id, this.#contents.get(id) ?? null] as const);
    return { ids, names: [...this.#names] };
  }

  /** What `preview` returned, besides the entries of the store. */
  restore({ ids, names }: KnownJson): void {
    for (const [id, fingerprint] of ids) {
      this.add(id, 0);
      if (fingerprint !== null) this.#keep(id, fingerprint);
    }
    for (const [name, id] of names) this.addName(name, id);
  }

  /** Whether an entry with this id exists that has the same content, or that has all parts of this one. */
  holds({ id, aliases = [], message, data }: UnboundEntry): boolean {
    if (!this.#knowsContents || !this.#has(id)) return false;
    const knownId = this.idOf(id) ?? id;
    if (this.#final.has(knownId)) return true;
    // All of its parts are known, however an earlier import combined them.
    if (aliases.length > 0 && aliases.every((alias) => this.#has(alias))) return true;
    const value = message ?? data;
    if (value === undefined) return false;
    const fingerprint = contentFingerprint(value);
    const versions = [id, knownId, versionId(id, fingerprint)];
    return versions.some(
      (version) => this.#contents.get(version) === fingerprint || this.#older.holds(version, fingerprint),
    );
  }
}

/** Redacted or pruned: nothing replaces it. */
export function isFinal({ kind, message, data }: StoredEntry): boolean {
  const noted = message === undefined ? data : message.extra?.colloquy;
  return kind === REMOVED_KIND || (isPlainObject(noted) && ("redactedAt" in noted || "redacted_at" in noted));
}

/** The id of another version of an entry. */
export function versionId(id: string, fingerprint: string): string {
  return `${id.slice(0, 200)}~${madeId(fingerprint).slice(0, 8)}`;
}

/** The `type` of an entry for a message that the store refuses. It has the fingerprint of that message. */
export const UNUSABLE_TYPE = "unusable-message";

/** Of the content alone, because a copy of a conversation may have lost the rest. */
export function contentFingerprint(value: Message | JsonObject): string {
  if ("role" in value && "content" in value) return fingerprintOf([value.role, value.content] as Json);
  const { type, fingerprint } = value as JsonObject;
  if (type === UNUSABLE_TYPE && typeof fingerprint === "string") return fingerprint;
  // Where an entry is in the store is not what it says.
  const { provenance: _, first_kept_seq: __, ...own } = value as JsonObject;
  return fingerprintOf(own as Json);
}

function fingerprintOf(value: Json): string {
  try {
    return hash("sha1", shortJson(value), "base64").slice(0, 16);
  } catch {
    // Nested too deeply for JSON: it is compared by nothing and read each time.
    return "";
  }
}
