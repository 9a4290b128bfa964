/**
 * The index as a view of the store.
 *
 * The store is authoritative: where they differ, the index is corrected, never
 * the store. Fields that the store does not know, such as overrides and
 * delivery addresses, and entries of other programs stay unchanged.
 */

import { isDeepStrictEqual } from "node:util";
import type { ConversationInfo } from "../../engine/index.ts";
import { keyOfOlder, settleClaims } from "../../key/index.ts";
import { checkMethod, checkObject } from "../../util/checked-arguments.ts";
import { defined } from "../../util/json.ts";
import { timeOf } from "../../util/time.ts";
import { canonicalKey, recoveredKey } from "./canonical-key.ts";
import { settle } from "./document.ts";
import type { SessionEntry, SessionStore } from "./entry.ts";
import { filesOf } from "./files.ts";
import { editOptions, type IndexOptions, loadSessionStore } from "./load.ts";
import { change } from "./queue.ts";

const MANAGED = "colloquy";

export interface SyncReport {
  /** Conversations of the store that have a session key. */
  readonly conversations: number;
  readonly added: number;
  readonly corrected: number;
  readonly removed: number;
}

interface Listing {
  /** With a session key, by id. */
  readonly keyed: ReadonlyMap<string, readonly [key: string, info: ConversationInfo]>;
  /** Ids of all conversations of the store, including the trash. */
  readonly known: ReadonlySet<string>;
}

export interface SyncOptions extends Omit<IndexOptions, "agentDir"> {
  /** Whether the conversation with a session key belongs to the agent. Default: every one. */
  readonly owns?: ((key: string) => boolean) | undefined;
}

/** An agent, and which conversations belong to it. */
interface SyncedAgent extends Pick<SyncOptions, "owns"> {
  readonly agentDir: string;
}

/** What is asked of a store. */
export interface ListedStore {
  list(query?: { readonly trash?: boolean }): AsyncIterable<ConversationInfo>;
}

/** Make the index match the store. Writes nothing when it does already. */
export async function syncSessionIndex(
  store: ListedStore,
  agentDir: string,
  options: SyncOptions = {},
): Promise<SyncReport> {
  checkObject(options, "options");
  const { owns, ...index } = options;
  const [report] = await syncSessionIndexes(store, [{ agentDir, owns }], index);
  return report as SyncReport;
}

/** The same for several agents, with one listing of the store. */
export async function syncSessionIndexes(
  store: ListedStore,
  agents: readonly SyncedAgent[],
  options: Omit<IndexOptions, "agentDir"> = {},
): Promise<SyncReport[]> {
  checkMethod(store, "list", "store");
  // Before the listing: entries that others add from now on cannot be outdated.
  const before = agents.map(({ agentDir }) => idsOf(loadSessionStore({ ...options, agentDir })));
  const whole = await list(store, options.config);
  const reports: SyncReport[] = [];
  for (const [at, { agentDir, owns }] of agents.entries()) {
    const files = filesOf(agentDir, options);
    const listing = owns === undefined ? whole : owned(whole, owns);
    const known = before[at] as ReadonlySet<string>;
    reports.push(
      await change(files, editOptions(files, options.config), (edit) => {
        const entries = edit.all();
        const next = corrected(entries, listing, known);
        const report = compare(entries, next, listing);
        if (report.added + report.corrected + report.removed > 0) edit.replace(next);
        return report;
      }),
    );
  }
  return reports;
}

/** The conversations of others are known, so that their entries are removed. */
function owned({ keyed, known }: Listing, owns: (key: string) => boolean): Listing {
  return { keyed: new Map([...keyed].filter(([, [key]]) => owns(key))), known };
}

function idsOf(store: SessionStore): ReadonlySet<string> {
  return new Set(Object.values(store).map(({ sessionId }) => sessionId));
}

async function list(store: ListedStore, config: IndexOptions["config"]): Promise<Listing> {
  const infos = await Array.fromAsync(store.list());
  const keyed = infos.filter((info) => info.key !== null);
  const keys = settleClaims(
    keyed.map(({ id, key, updatedAt }) => ({
      // The store accepts keys that are invalid here, such as one that ends with a colon.
      key: canonicalKey(key as string, config) ?? recoveredKey(id),
      sessionId: id,
      updatedAt: timeOf(updatedAt),
    })),
  );
  const known = new Set(
    [...infos, ...(await Array.fromAsync(store.list({ trash: true })))].map(({ id }) => id),
  );
  return { keyed: new Map(keyed.map((info, index) => [info.id, [keys[index] as string, info]])), known };
}

function corrected(entries: SessionStore, listing: Listing, before: ReadonlySet<string>): SessionStore {
  const byId = new Map<string, SessionEntry>();
  const kept: (readonly [string, SessionEntry])[] = [];
  const taken = new Set([...listing.keyed.values()].map(([key]) => key));
  for (const [key, entry] of Object.entries(entries)) {
    const { sessionId } = entry;
    if (listing.keyed.has(sessionId)) byId.set(sessionId, { ...byId.get(sessionId), ...entry });
    else if (!isOutdated(entry, listing, before)) {
      // A conversation of another program is kept under another key.
      kept.push([taken.has(key) ? keyOfOlder(key, sessionId) : key, entry]);
    }
  }
  for (const [id, [key, info]] of listing.keyed) kept.push([key, entryOf(info, byId.get(id), entries[key])]);
  return settle(kept);
}

/** In the trash, without a key, or removed from the store. */
function isOutdated(entry: SessionEntry, { known }: Listing, before: ReadonlySet<string>): boolean {
  if (known.has(entry.sessionId)) return true;
  return entry.managedBy === MANAGED && before.has(entry.sessionId);
}

/** Also set by runs and by users, for one session: that the store has no such value does not clear it. */
const OF_RUNS: ReadonlySet<string> = new Set(["authProfileOverride", "channel"]);

/** `former` is the entry of this conversation, `atKey` the entry of this key. */
function entryOf(
  info: ConversationInfo,
  former: SessionEntry | undefined,
  atKey: SessionEntry | undefined,
): SessionEntry {
  const own = ownFields(info);
  // Runs that were counted know better which model answered last.
  const model = former?.usageThrough === undefined ? defined({ model: info.model ?? undefined }) : {};
  const fields = Object.entries(former ?? settingsOf(atKey)).filter(
    // A field that the store does not set belongs to another program, unless the store managed the entry: then it was cleared.
    ([field]) => former?.managedBy !== MANAGED || !Object.hasOwn(own, field) || OF_RUNS.has(field),
  );
  return {
    ...Object.fromEntries(fields),
    ...model,
    ...fieldsOf(info),
  };
}

/** The fields of an entry that the store knows. */
export function fieldsOf(info: ConversationInfo): SessionEntry {
  return {
    ...Object.fromEntries(Object.entries(ownFields(info)).filter(([, value]) => value !== null)),
    sessionId: info.id,
    updatedAt: timeOf(info.updatedAt),
    compactionCount: info.compactionCount,
    managedBy: MANAGED,
  };
}

function ownFields({ channel, title, profileId }: ConversationInfo): Record<string, string | null> {
  return { channel, label: title, authProfileOverride: profileId };
}

const SETTINGS = [
  "chatType",
  "thinkingLevel",
  "modelOverride",
  "providerOverride",
  "authProfileOverride",
  "groupId",
  "origin",
  "deliveryContext",
  "lastChannel",
  "lastTo",
] as const;

/** Fields that belong to the key and not to the conversation. */
function settingsOf(entry: SessionEntry | undefined): Partial<SessionEntry> {
  if (entry === undefined) return {};
  return Object.fromEntries(SETTINGS.filter((name) => name in entry).map((name) => [name, entry[name]]));
}

function compare(before: SessionStore, after: SessionStore, { keyed }: Listing): SyncReport {
  const keys = Object.keys(after);
  const added = keys.filter((key) => !Object.hasOwn(before, key)).length;
  const corrected = keys.filter(
    (key) => Object.hasOwn(before, key) && !isDeepStrictEqual(before[key], after[key]),
  ).length;
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key)).length;
  return { conversations: keyed.size, added, corrected, removed };
}
