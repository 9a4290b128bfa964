/**
 * The text of the index and its content.
 *
 * We write one entry per line, so that one can be found and replaced without
 * parsing the rest (`lines.ts`), and so that two versions are easy to compare.
 * We read any JSON object that maps keys to entries.
 */
import { type KeyConfig, settleClaims } from "../../key/index.ts";
import { isPlainObject, parseJson } from "../../util/json.ts";
import { canonicalKey } from "./canonical-key.ts";
import { readEntry, type SessionEntry, type SessionStore } from "./entry.ts";

export interface SessionDocument {
  readonly entries: SessionStore;
  /** Properties that are not entries. They are not returned, and written back unchanged. */
  readonly others: Readonly<Record<string, unknown>>;
  /** Whether the text differs: legacy keys, missing fields. */
  readonly migrated: boolean;
}

/** `undefined` when the text is damaged: not JSON, or not an object. */
export function readDocument(text: string, config?: KeyConfig): SessionDocument | undefined {
  const value = parseJson(text);
  if (!isPlainObject(value)) return undefined;
  return isCurrent(value, config)
    ? { entries: value as SessionStore, others: {}, migrated: false }
    : migrate(value, config);
}

/** Whether every property is an entry under its canonical key, as in every index that we wrote. */
function isCurrent(value: Readonly<Record<string, unknown>>, config: KeyConfig | undefined): boolean {
  for (const key of Object.keys(value)) {
    const entry = readEntry(value[key]);
    if (entry === undefined || entry !== value[key] || canonicalKey(key, config, entry.channel) !== key)
      return false;
  }
  return true;
}

function migrate(value: Readonly<Record<string, unknown>>, config: KeyConfig | undefined): SessionDocument {
  const found: (readonly [string, SessionEntry])[] = [];
  const others: (readonly [string, unknown])[] = [];
  for (const [key, member] of Object.entries(value)) {
    const entry = readEntry(member);
    const resolved = entry === undefined ? undefined : canonicalKey(key, config, entry.channel);
    if (entry === undefined || resolved === undefined) others.push([key, member]);
    else found.push([resolved, entry]);
  }
  return { entries: settle(found), others: Object.fromEntries(others), migrated: true };
}

/** One entry per key. Two conversations that claim the same key are both kept, under separate keys. */
export function settle(found: readonly (readonly [string, SessionEntry])[]): SessionStore {
  const keys = settleClaims(found.map(([key, { sessionId, updatedAt }]) => ({ key, sessionId, updatedAt })));
  const entries = new Map<string, SessionEntry>();
  for (const [index, key] of keys.entries()) {
    const [, entry] = found[index] as readonly [string, SessionEntry];
    const other = entries.get(key);
    entries.set(key, other === undefined ? entry : newestOver(entry, other));
  }
  return Object.fromEntries(entries);
}

/** Two entries of one conversation: the fields of both, and where they differ those of the newer. */
function newestOver(one: SessionEntry, other: SessionEntry): SessionEntry {
  return one.updatedAt >= other.updatedAt ? { ...other, ...one } : { ...one, ...other };
}

export function writeDocument({ entries, others }: Omit<SessionDocument, "migrated">): Buffer {
  const lines: string[] = [];
  for (const key of Object.keys(entries)) lines.push(lineOf(key, entries[key]));
  for (const key of Object.keys(others)) {
    // Another property must not hide an entry.
    if (!Object.hasOwn(entries, key)) lines.push(lineOf(key, others[key]));
  }
  return Buffer.from(lines.length === 0 ? "{}\n" : `{\n${lines.join(",\n")}\n}\n`);
}

export function lineOf(key: string, value: unknown): string {
  return `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
}
