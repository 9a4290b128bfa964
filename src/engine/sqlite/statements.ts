import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ENTRY_COLUMNS, INFO_COLUMNS } from "./rows.ts";

type StatementName =
  | "begin"
  | "commit"
  | "rollback"
  | "infoById"
  | "infoByKey"
  | "list"
  | "listAfter"
  | "listTrash"
  | "listTrashAfter"
  | "create"
  | "update"
  | "setDeleted"
  | "tail"
  | "insert"
  | "name"
  | "dataVersion"
  | "grow"
  | "entryById"
  | "byOperation"
  | "seqOf"
  | "forward"
  | "backward";

/** Every statement of the engine, prepared once: preparing again costs more than running. */
const SQL: Readonly<Record<StatementName, string>> = {
  begin: "BEGIN IMMEDIATE",
  commit: "COMMIT",
  rollback: "ROLLBACK",

  infoById: `SELECT ${INFO_COLUMNS} FROM conversations WHERE id = ?`,
  infoByKey: `SELECT ${INFO_COLUMNS} FROM conversations WHERE key = ? AND deleted_at IS NULL`,
  list: `SELECT ${INFO_COLUMNS} FROM conversations WHERE deleted_at IS NULL ORDER BY active_at DESC, id LIMIT ?`,
  listAfter: `SELECT ${INFO_COLUMNS} FROM conversations WHERE deleted_at IS NULL
    AND active_at <= ?1 AND (active_at < ?1 OR id > ?2) ORDER BY active_at DESC, id LIMIT ?3`,
  listTrash: `SELECT ${INFO_COLUMNS} FROM conversations WHERE deleted_at IS NOT NULL ORDER BY active_at DESC, id LIMIT ?`,
  listTrashAfter: `SELECT ${INFO_COLUMNS} FROM conversations WHERE deleted_at IS NOT NULL
    AND active_at <= ?1 AND (active_at < ?1 OR id > ?2) ORDER BY active_at DESC, id LIMIT ?3`,

  create: `INSERT INTO conversations (id, key, title, channel, model, profile_id, created_at, updated_at, active_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7)`,
  update: `UPDATE conversations SET title = ?, channel = ?, model = ?, profile_id = ?, context_state = ?, updated_at = ?
    WHERE id = ?`,
  setDeleted: "UPDATE conversations SET deleted_at = ?, updated_at = ? WHERE id = ?",

  tail: "SELECT n, last_seq, head, deleted_at FROM conversations WHERE id = ?",
  insert: `INSERT INTO entries (conversation, seq, id, parent_id, kind, at, operation_id, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  name: "INSERT INTO operations (id, conversation, first_seq, last_seq) VALUES (?, ?, ?, ?)",
  dataVersion: "PRAGMA data_version",
  grow: `UPDATE conversations SET last_seq = ?2, head = ?3, message_count = message_count + ?4, updated_at = ?5,
    last_message_at = iif(?6 IS NULL, last_message_at, max(coalesce(last_message_at, ?6), ?6)),
    active_at = iif(?6 IS NULL, active_at, max(coalesce(last_message_at, ?6), ?6)) WHERE n = ?1`,

  entryById: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = ? AND id = ?`,
  byOperation: `SELECT ${ENTRY_COLUMNS} FROM entries
    WHERE conversation = ?2 AND seq BETWEEN (SELECT first_seq FROM operations WHERE id = ?1 AND conversation = ?2)
      AND (SELECT last_seq FROM operations WHERE id = ?1 AND conversation = ?2) ORDER BY seq`,
  seqOf:
    "SELECT seq FROM entries WHERE conversation = (SELECT n FROM conversations WHERE id = ? AND deleted_at IS NULL) AND id = ?",
  forward: `SELECT ${ENTRY_COLUMNS} FROM entries
    WHERE conversation = (SELECT n FROM conversations WHERE id = ? AND deleted_at IS NULL) AND seq > ? ORDER BY seq`,
  backward: `SELECT ${ENTRY_COLUMNS} FROM entries
    WHERE conversation = (SELECT n FROM conversations WHERE id = ? AND deleted_at IS NULL) AND seq < ? ORDER BY seq DESC`,
};

export type Statements = Readonly<Record<StatementName, StatementSync>>;

/** Prepared on first use, so that a command that lists does not pay for those that write. */
export function prepareStatements(database: DatabaseSync): Statements {
  const statements = {} as Record<StatementName, StatementSync>;
  for (const name of Object.keys(SQL) as StatementName[]) {
    Object.defineProperty(statements, name, {
      configurable: true,
      get() {
        const statement = database.prepare(SQL[name]);
        statement.setReturnArrays(true);
        Object.defineProperty(statements, name, { value: statement });
        return statement;
      },
    });
  }
  return statements;
}
