import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ENTRY_COLUMNS, INFO_COLUMNS } from "./rows.ts";

type StatementName =
  | "begin"
  | "feedTag"
  | "beginRead"
  | "commit"
  | "rollback"
  | "dataVersion"
  | "infoById"
  | "infoByKey"
  | "list"
  | "listAfter"
  | "listTrash"
  | "listTrashAfter"
  | "create"
  | "update"
  | "setDeleted"
  | "number"
  | "numberAndLast"
  | "logEnd"
  | "marks"
  | "idUpTo"
  | "lastN"
  | "insert"
  | "name"
  | "grow"
  | "setTree"
  | "entryById"
  | "byOperation"
  | "seqOf"
  | "forward"
  | "backward"
  | "rangeForward"
  | "rangeBackward"
  | "change"
  | "changes"
  | "blob"
  | "upload"
  | "addBlob"
  | "growUpload"
  | "keepUpload"
  | "touchBlob"
  | "addChunk"
  | "chunks"
  | "dropChunks"
  | "dropBlob"
  | "references"
  | "referencesOf"
  | "keptBefore"
  | "uploadsBefore"
  | "journal"
  | "journalLength"
  | "journalText"
  | "beginJournal"
  | "addPiece"
  | "dropPieces"
  | "dropJournal"
  | "lease"
  | "setLease"
  | "dropLease"
  | "weigh"
  | "dropOperations"
  | "dropEntries"
  | "dropConversation"
  | "overwrite"
  | "forgetContext"
  | "inRange"
  | "dropEntry"
  | "emptyEntry"
  | "dropUnusedOperation"
  | "shrink";

const LIVE = "(SELECT n FROM conversations WHERE id = ? AND deleted_at IS NULL)";
const LISTED = `SELECT ${INFO_COLUMNS} FROM conversations WHERE deleted_at IS NULL`;
const TRASHED = `SELECT ${INFO_COLUMNS} FROM conversations WHERE deleted_at IS NOT NULL`;
const IN_ORDER = "ORDER BY active_at DESC, id LIMIT";

/** Every statement of the engine, prepared once: preparing again costs more than running. */
const SQL: Readonly<Record<StatementName, string>> = {
  begin: "BEGIN IMMEDIATE",
  feedTag: "SELECT tag FROM feed",
  beginRead: "BEGIN",
  commit: "COMMIT",
  rollback: "ROLLBACK",
  dataVersion: "PRAGMA data_version",

  infoById: `SELECT ${INFO_COLUMNS} FROM conversations WHERE id = ?`,
  infoByKey: `${LISTED} AND key = ?`,
  list: `${LISTED} ${IN_ORDER} ?`,
  listAfter: `${LISTED} AND active_at <= ?1 AND (active_at < ?1 OR id > ?2) ${IN_ORDER} ?3`,
  listTrash: `${TRASHED} ${IN_ORDER} ?`,
  listTrashAfter: `${TRASHED} AND active_at <= ?1 AND (active_at < ?1 OR id > ?2) ${IN_ORDER} ?3`,
  create: `INSERT INTO conversations (id, key, title, channel, model, profile_id, created_at, updated_at, active_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7)`,
  update: `UPDATE conversations SET title = ?, channel = ?, model = ?, profile_id = ?, context_state = ?, updated_at = ?
    WHERE id = ?`,
  setDeleted: "UPDATE conversations SET deleted_at = ?, updated_at = ? WHERE id = ?",
  number: "SELECT n FROM conversations WHERE id = ?",
  numberAndLast: "SELECT n, last_seq FROM conversations WHERE id = ?",

  logEnd: "SELECT n, last_seq FROM conversations WHERE id = ? AND deleted_at IS NULL",
  /** With the entry before each, whose branch may end there. */
  marks: `SELECT seq, id, kind, at, branch, iif(kind = 'message', NULL, body),
      (SELECT id FROM entries p WHERE p.conversation = m.conversation AND p.seq < m.seq ORDER BY p.seq DESC LIMIT 1)
    FROM entries m WHERE conversation = ? AND branch IS NOT NULL ORDER BY seq`,
  idUpTo: "SELECT id FROM entries WHERE conversation = ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
  lastN: "SELECT max(coalesce((SELECT max(n) FROM entries), 0), coalesce((SELECT max(n) FROM changes), 0))",

  insert: `INSERT INTO entries (n, conversation, seq, id, parent_id, kind, at, operation, body, branch, blobs)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  name: "INSERT INTO operations (id, conversation, first_seq, last_seq) VALUES (?, ?, ?, ?)",
  grow: `UPDATE conversations SET last_seq = ?2, head = ?3, message_count = message_count + ?4, updated_at = ?5,
    last_message_at = iif(?6 IS NULL, last_message_at, max(coalesce(last_message_at, ?6), ?6)),
    active_at = iif(?6 IS NULL, active_at, max(coalesce(last_message_at, ?6), ?6)) WHERE n = ?1`,
  setTree: "UPDATE conversations SET head = ?2, branch_count = ?3, compaction_count = ?4 WHERE n = ?1",

  entryById: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = ? AND id = ?`,
  byOperation: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = ?2 AND operation = ?1
      AND seq BETWEEN (SELECT first_seq FROM operations WHERE id = ?1 AND conversation = ?2)
      AND (SELECT last_seq FROM operations WHERE id = ?1 AND conversation = ?2) ORDER BY seq`,
  seqOf: `SELECT seq FROM entries WHERE conversation = ${LIVE} AND id = ?`,
  forward: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = ${LIVE} AND seq > ? ORDER BY seq`,
  backward: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = ${LIVE} AND seq < ? ORDER BY seq DESC`,
  rangeForward: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = ? AND seq BETWEEN ? AND ? ORDER BY seq`,
  rangeBackward: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC`,

  change: "INSERT INTO changes (n, conversation, type) VALUES (?, ?, ?)",
  /** In one statement, because between two another process may write. */
  changes: `SELECT ${ENTRY_COLUMNS}, n, (SELECT c.id FROM conversations c WHERE c.n = conversation), 'entry'
      FROM entries WHERE n > ?1
    UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, n, conversation, type FROM changes WHERE n > ?1
    ORDER BY 9 LIMIT ?2`,

  blob: "SELECT n, size, encoding, stored_bytes FROM blobs WHERE hash = ?",
  upload: "SELECT n, stored_bytes FROM blobs WHERE upload = ?",
  addBlob: `INSERT INTO blobs (hash, upload, size, encoding, stored_bytes, stored_at) VALUES (?, ?, ?, ?, ?, ?)
    RETURNING n`,
  growUpload: "UPDATE blobs SET stored_bytes = ?2, stored_at = ?3 WHERE n = ?1",
  keepUpload: "UPDATE blobs SET upload = NULL, hash = ?2, size = ?3, encoding = ?4 WHERE n = ?1",
  touchBlob: "UPDATE blobs SET stored_at = max(stored_at, ?2) WHERE n = ?1",
  addChunk: "INSERT INTO blob_chunks (blob, position, data) VALUES (?, ?, ?)",
  chunks: `SELECT position, data FROM blob_chunks WHERE blob = ?1 AND position < ?3 AND position >=
      coalesce((SELECT max(position) FROM blob_chunks WHERE blob = ?1 AND position <= ?2), 0) ORDER BY position`,
  dropChunks: "DELETE FROM blob_chunks WHERE blob = ?",
  dropBlob: "DELETE FROM blobs WHERE n = ?",
  references: "SELECT blobs FROM entries WHERE blobs IS NOT NULL",
  referencesOf: "SELECT blobs FROM entries WHERE blobs IS NOT NULL AND conversation = ?",
  keptBefore: "SELECT hash FROM blobs WHERE hash IS NOT NULL AND stored_at < ?",
  uploadsBefore: "SELECT n, stored_bytes FROM blobs WHERE hash IS NULL AND stored_at < ?",

  journal: "SELECT turn, header FROM journals WHERE conversation = ?",
  journalLength: `SELECT position + length FROM journal_pieces WHERE conversation = ? ORDER BY position DESC LIMIT 1`,
  journalText: `SELECT position, text FROM journal_pieces WHERE conversation = ?1 AND position >=
      coalesce((SELECT max(position) FROM journal_pieces WHERE conversation = ?1 AND position <= ?2), 0) ORDER BY position`,
  beginJournal: "INSERT INTO journals (conversation, turn, header) VALUES (?, ?, ?)",
  addPiece: "INSERT INTO journal_pieces (conversation, position, length, text) VALUES (?, ?, ?, ?)",
  dropPieces: `DELETE FROM journal_pieces
    WHERE conversation = (SELECT conversation FROM journals WHERE conversation = ?1 AND turn = coalesce(?2, turn))`,
  dropJournal: "DELETE FROM journals WHERE conversation = ?1 AND turn = coalesce(?2, turn)",

  lease: "SELECT state FROM leases WHERE conversation = ?",
  setLease:
    "INSERT INTO leases (conversation, state) VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state",
  dropLease: "DELETE FROM leases WHERE conversation = ?",

  weigh: "SELECT count(*), coalesce(sum(octet_length(body)), 0) FROM entries WHERE conversation = ?",
  dropOperations: `DELETE FROM operations WHERE conversation = ?1
    AND id IN (SELECT operation FROM entries WHERE conversation = ?1 AND operation IS NOT NULL)`,
  dropEntries: "DELETE FROM entries WHERE conversation = ?",
  dropConversation: "DELETE FROM conversations WHERE n = ?",
  overwrite: "UPDATE entries SET body = ?3, blobs = NULL WHERE conversation = ?1 AND seq = ?2",
  inRange: `SELECT seq, kind, operation, octet_length(body), blobs FROM entries
    WHERE conversation = ? AND seq BETWEEN ? AND ? AND kind <> 'removed'`,
  dropEntry: "DELETE FROM entries WHERE conversation = ? AND seq = ?",
  emptyEntry: `UPDATE entries SET kind = 'removed', body = '{}', blobs = NULL, operation = NULL, branch = coalesce(branch, 0)
    WHERE conversation = ? AND seq = ?`,
  dropUnusedOperation: `DELETE FROM operations WHERE id = ?1 AND conversation = ?2 AND NOT EXISTS (SELECT 1 FROM entries
    WHERE conversation = ?2 AND operation = ?1 AND seq BETWEEN first_seq AND last_seq)`,
  forgetContext: "UPDATE conversations SET context_state = NULL WHERE n = ?",
  shrink: "UPDATE conversations SET message_count = message_count - ?2, updated_at = ?3 WHERE n = ?1",
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
