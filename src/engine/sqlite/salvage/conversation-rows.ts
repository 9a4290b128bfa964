import { uuidFromHash } from "../../../util/uuid.ts";
import type { Backup } from "./backup-rows.ts";
import type { EntryRow } from "./lost-entries.ts";
import type { Salvaged, SalvagedRow } from "./salvaged.ts";

export type Note = (code: string, conversation: string | null, message: string) => void;

/** Conversations as they were, from a backup, or what entries and indexes still say of them. */
export class ConversationRows {
  readonly #found: Salvaged;
  readonly #backup: Backup | undefined;
  readonly #note: Note;

  constructor(found: Salvaged, backup: Backup | undefined, note: Note) {
    this.#found = found;
    this.#backup = backup;
    this.#note = note;
  }

  /** By number. */
  all(): Map<number, SalvagedRow> {
    const { rows, doubtful, names } = this.#found;
    const all = new Map(rows.conversations.map((row) => [row.n as number, row]));
    for (const [n, row] of doubtful) {
      if (all.has(n)) continue;
      const kept = this.#backup?.conversation(String(row.id));
      all.set(n, { ...(kept ?? plausible(row)), n });
      const how = kept === undefined ? "kept as it was found" : "taken from the backup";
      this.#note("damaged-metadata", String(row.id), `its metadata did not match its checksum; ${how}`);
    }
    const orphans = Map.groupBy(rows.entries as EntryRow[], ({ conversation }) => conversation);
    for (const n of [...orphans.keys(), ...names.keys()]) {
      if (all.has(n) || (!orphans.has(n) && names.get(n)?.id === undefined)) continue;
      const row = this.#lostConversation(n, orphans.get(n) ?? []);
      all.set(n, row);
    }
    return withoutTwins(all);
  }

  #lostConversation(n: number, entries: readonly EntryRow[]): SalvagedRow {
    const { id = uuidFromHash(`colloquy:${n}`), key = null } = this.#found.names.get(n) ?? {};
    const kept = this.#backup?.conversation(id);
    const how = kept === undefined ? "its title and other metadata are lost" : "it was taken from the backup";
    this.#note("lost-metadata", id, `its metadata could not be read; ${how}`);
    if (kept !== undefined) return { ...kept, n };
    const moves = this.#found.rows.changes.filter(
      ({ conversation, type }) => conversation === id && (type === "trashed" || type === "restored"),
    );
    const isTrashed = moves.sort((a, b) => Number(a.n) - Number(b.n)).at(-1)?.type === "trashed";
    const times = entries.map(({ at }) => at);
    const [first, last] = [Math.min(...times, Date.now()), times.reduce((a, b) => Math.max(a, b), 0)];
    return {
      n,
      id,
      key,
      title: null,
      channel: key?.split(":")[0] ?? null,
      model: null,
      profile_id: null,
      context_state: null,
      created_at: first,
      updated_at: last || first,
      last_message_at: last || null,
      active_at: last || first,
      message_count: 0,
      last_seq: 0,
      head: null,
      deleted_at: isTrashed ? last || first : null,
      branch_count: 1,
      compaction_count: 0,
      sum: 0,
      tally: 0,
    };
  }
}

/** A damaged row whose values do not have the type of their column cannot be stored. */
function plausible(row: SalvagedRow): SalvagedRow {
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  const time = (value: unknown): number | null =>
    typeof value === "number" && Math.abs(value) <= 8.64e15 ? Math.trunc(value) : null;
  const created = time(row.created_at) ?? 0;
  return {
    ...row,
    key: text(row.key),
    title: text(row.title),
    channel: text(row.channel),
    model: text(row.model),
    profile_id: text(row.profile_id),
    context_state: jsonText(row.context_state),
    head: text(row.head),
    created_at: created,
    updated_at: time(row.updated_at) ?? created,
    deleted_at: time(row.deleted_at),
    last_message_at: time(row.last_message_at),
    active_at: time(row.active_at) ?? created,
    message_count: 0,
    last_seq: 0,
    branch_count: 1,
    compaction_count: 0,
    sum: 0,
    tally: 0,
  };
}

function jsonText(value: unknown): string | null {
  try {
    JSON.parse(String(value));
    return String(value);
  } catch {
    return null;
  }
}

/** One conversation holds an id, and one that is not in the trash holds a key. */
function withoutTwins(all: Map<number, SalvagedRow>): Map<number, SalvagedRow> {
  const [ids, keys] = [new Set<unknown>(), new Set<unknown>()];
  for (const [n, row] of all) {
    const isTaken = row.key !== null && row.deleted_at === null && keys.has(row.key);
    const id = ids.has(row.id) ? uuidFromHash(`${row.id}:${n}`) : row.id;
    if (isTaken || id !== row.id)
      all.set(n, { ...row, id: id ?? null, key: isTaken ? null : (row.key ?? null) });
    ids.add(id);
    if (row.deleted_at === null) keys.add(row.key);
  }
  return all;
}
