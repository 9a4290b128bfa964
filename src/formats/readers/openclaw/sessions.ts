/** The sessions of an OpenClaw database, apart from their events. */
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, numberIn, objectIn, parsedIn, timeIn } from "../../../util/values.ts";
import type { SourceDatabase } from "../../contract/reader.ts";
import type { PiOrigin } from "../shared/pi-session/header.ts";
import { keyOf, type OpenclawKey } from "./keys.ts";
import { openclawPlace } from "./place.ts";

type Row = Readonly<Record<string, unknown>>;

/** What an archive says about its session. Those of all sessions would not fit into memory with their transcripts. */
const ABOUT_ARCHIVES = ["session_id", "session_key", "updated_at", "created_at"];

export class OpenclawSessions {
  readonly #agent: string | undefined;
  /** Windows by session, nodes by key. */
  readonly #windows: ReadonlyMap<string, Row>;
  readonly #nodes: ReadonlyMap<string, Row>;
  /** Keys by the session that they lead to now or, if it was deleted, that they led to last. */
  readonly #current: Map<string, string> = new Map();
  /** Archived sessions, which may have no window any more. */
  readonly #archived: ReadonlyMap<string, Row>;

  constructor(database: SourceDatabase, path: string) {
    this.#agent = filledIn(openclawPlace(path).about.agent);
    this.#windows = rowsBy(database, "session_windows", "session_id");
    this.#nodes = rowsBy(database, "session_nodes", "session_key");
    for (const [key, node] of this.#nodes) {
      const session = filledIn(node.current_session_id);
      if (session !== undefined) this.#current.set(session, key);
    }
    this.#archived = rowsBy(database, "session_transcript_archives", "session_id", ABOUT_ARCHIVES);
    const held = new Set(this.#current.values());
    for (const [key, session] of this.#lastSessions()) if (!held.has(key)) this.#current.set(session, key);
  }

  /** A deleted session has no node: of all sessions of its key, the last one had it. */
  #lastSessions(): Map<string, string> {
    const rows = [...this.#windows, ...this.#archived].map(([session, row]) => ({
      session,
      key: filledIn(row.session_key),
      at: numberIn(row.updated_at) ?? numberIn(row.created_at) ?? 0,
    }));
    const last = new Map<string, string>();
    for (const { session, key } of rows.sort((a, b) => a.at - b.at))
      if (key !== undefined) last.set(key, session);
    return last;
  }

  /** What changes when a session key leads to another session, or is renamed. */
  stateOf(sessionId: string): string {
    const { key, title } = this.originOf(sessionId);
    return `${key ?? ""} ${title ?? ""}`;
  }

  originOf(sessionId: string): PiOrigin {
    const window = this.#windows.get(sessionId) ?? {};
    const current = this.#current.get(sessionId);
    const sessionKey =
      current ?? filledIn(window.session_key) ?? filledIn(this.#archived.get(sessionId)?.session_key);
    const known = sessionKey === undefined ? undefined : this.#known(sessionKey);
    const parent = this.#parentOf(window, known);
    return {
      sourceId: sessionId,
      // A key has had other transcripts before: it belongs to the one that it leads to now.
      ...defined({
        key: current,
        title: known?.label ?? known?.displayName ?? filledIn(window.display_name),
        model: filledIn(window.model),
        parent: parent === undefined ? undefined : { sourceId: parent },
        createdAt: timeIn(window.started_at),
      }),
      about: this.#about(window, known, sessionKey),
    };
  }

  #known(key: string): OpenclawKey {
    const node = this.#nodes.get(key);
    return keyOf(key, objectIn(parsedIn(node?.entry_json)) ?? {});
  }

  /** Sub-agents name the key of the session that started them. */
  #parentOf(window: Row, known: OpenclawKey | undefined): string | undefined {
    const key = known?.spawnedBy ?? filledIn(window.spawned_by) ?? filledIn(window.parent_session_key);
    return key === undefined ? undefined : filledIn(this.#nodes.get(key)?.current_session_id);
  }

  #about(window: Row, known: OpenclawKey | undefined, sessionKey: string | undefined): JsonObject {
    return defined({
      agent: this.#agent,
      session_key: sessionKey,
      channel: known?.channel ?? filledIn(window.channel),
      chat_type: known?.chatType ?? filledIn(window.chat_type),
      subject: known?.subject,
      spawned_by: known?.spawnedBy ?? filledIn(window.spawned_by),
      previous_session: filledIn(window.previous_session_id),
      reason: filledIn(window.reason),
    });
  }
}

/** `wanted`: the columns to read, as far as the table has them. Default: all. */
function rowsBy(
  database: SourceDatabase,
  table: string,
  column: string,
  wanted?: readonly string[],
): ReadonlyMap<string, Row> {
  const columns = database.columns(table);
  if (!columns.includes(column)) return new Map();
  const names = wanted?.filter((name) => columns.includes(name)).join(", ") ?? "*";
  const rows = new Map<string, Row>();
  for (const row of database.rows(`SELECT ${names} FROM ${table}`)) rows.set(String(row[column]), row);
  return rows;
}
