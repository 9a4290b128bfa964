import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { REMOVED_KIND } from "../../message/entry.ts";
import { ENTRY_COLUMNS, INFO_COLUMNS, LOST_BODY, type Row } from "./rows.ts";
import { sealedColumns, sumSql } from "./sums.ts";

/** The time of deletion of a conversation that is being purged. The next opener finishes what a killed process began. */
export const PURGING = 0;

const LIVE = "(SELECT n FROM conversations WHERE id = ? AND deleted_at IS NULL)";
const LISTED = `SELECT ${INFO_COLUMNS} FROM conversations WHERE deleted_at IS NULL`;
const TRASHED = `SELECT ${INFO_COLUMNS} FROM conversations WHERE deleted_at IS NOT NULL`;
const IN_ORDER = "ORDER BY active_at DESC, id LIMIT";

/**
 * A place of the order, a span of time, a channel, a model, a number of branches, a part of the title in lower case.
 * SQLite lowers only ASCII, so the caller looks at the other titles itself. It stops when it has enough.
 */
const FILTERED = `AND active_at >= ?3 AND active_at < ?4 AND (active_at < ?1 OR id > ?2)
    AND (?5 IS NULL OR channel = ?5) AND (?6 IS NULL OR model = ?6) AND branch_count >= ?7
    AND (?8 IS NULL OR instr(lower(title), ?8) > 0 OR title GLOB '*[^ -~]*')
    ORDER BY active_at DESC, id`;

const MARKED = "FROM entries INDEXED BY entries_marked WHERE conversation = ?1 AND branch IS NOT NULL";

/** A blob that may be unused since something was removed has a time below 0 (`suspectBlob`). */
export const SUSPECTED_BEFORE = 0;

/** A blob that is being deleted. */
export const RELEASED = "hash IS NULL AND upload IS NULL";

/** An entry that was swept and stays, in terms of its columns. */
const BLANK = {
  kind: `'${REMOVED_KIND}'`,
  body: "'{}'",
  blobs: "NULL",
  op: "NULL",
  branch: "coalesce(branch, 0)",
};

/** Every statement of the engine, prepared once: preparing costs more than running. */
const SQL = {
  begin: "BEGIN IMMEDIATE",
  feedTag: "SELECT tag FROM feed",
  beginRead: "BEGIN",
  commit: "COMMIT",
  rollback: "ROLLBACK",
  dataVersion: "PRAGMA data_version",
  totalChanges: "SELECT total_changes()",
  counts: "SELECT count(*), total(message_count) FROM conversations WHERE deleted_at IS NULL",
  lostPlace: `SELECT 1 FROM entries WHERE branch IS NOT NULL AND kind = '${REMOVED_KIND}' AND body = '${LOST_BODY}' LIMIT 1`,

  infoById: `SELECT ${INFO_COLUMNS} FROM conversations WHERE id = ?`,
  infoByKey: `${LISTED} AND key = ?`,
  list: `${LISTED} ${IN_ORDER} ?`,
  listAfter: `${LISTED} AND active_at <= ?1 AND (active_at < ?1 OR id > ?2) ${IN_ORDER} ?3`,
  listTrash: `${TRASHED} ${IN_ORDER} ?`,
  listTrashAfter: `${TRASHED} AND active_at <= ?1 AND (active_at < ?1 OR id > ?2) ${IN_ORDER} ?3`,
  listFiltered: `${LISTED} ${FILTERED}`,
  listByPrefix: `${LISTED} AND key >= ?9 AND key < ?10 ${FILTERED}`,
  listTrashFiltered: `${TRASHED} ${FILTERED}`,
  facets: "SELECT DISTINCT channel, model FROM conversations WHERE deleted_at IS NULL",
  insertConversation: `INSERT INTO conversations (id, key, title, channel, model, profile_id, created_at, updated_at, active_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7)`,
  /** After an insertion: the number of the row is part of its checksums. */
  sealConversation: `UPDATE conversations SET sum = ${sumSql("conversations")}, tally = ${sumSql("counts")} WHERE id = ?`,
  updateConversation: `UPDATE conversations SET title = ?1, channel = ?2, model = ?3, profile_id = ?4, context_state = ?5,
    sum = ${sumSql("conversations", { title: "?1", channel: "?2", model: "?3", profile_id: "?4", context_state: "?5" })},
    updated_at = ?6, tally = ${sumSql("counts", { updated_at: "?6" })} WHERE id = ?7`,
  setDeleted: `UPDATE conversations SET deleted_at = ?1, sum = ${sumSql("conversations", { deleted_at: "?1" })},
    updated_at = ?2, tally = ${sumSql("counts", { updated_at: "?2" })} WHERE id = ?3`,
  conversation: `SELECT ${sealedColumns("counts")} FROM conversations WHERE id = ?`,

  liveConversation: `SELECT ${sealedColumns("counts")} FROM conversations WHERE id = ? AND deleted_at IS NULL`,
  /** Those after a `seq`, each with the entry before it, where another branch may end. */
  marks: `SELECT ${ENTRY_COLUMNS}, (SELECT id FROM entries p WHERE p.conversation = m.conversation AND p.seq < m.seq ORDER BY p.seq DESC LIMIT 1)
    FROM entries m WHERE conversation = ? AND branch IS NOT NULL AND seq > ? ORDER BY seq`,
  lastIdUpTo: "SELECT id FROM entries WHERE conversation = ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
  logTip: `SELECT last_seq, e.id, e.kind FROM conversations c LEFT JOIN entries e ON e.conversation = c.n AND e.seq = last_seq
    WHERE c.id = ? AND deleted_at IS NULL`,
  lastN: "SELECT max(coalesce((SELECT max(n) FROM entries), 0), coalesce((SELECT max(n) FROM changes), 0))",

  /** The last `n`, and whether anything after an `n` may have removed or changed entries. */
  changesSince: `SELECT max(coalesce((SELECT max(n) FROM entries), 0), coalesce((SELECT max(n) FROM changes), 0)),
    EXISTS (SELECT 1 FROM changes WHERE n > ? AND type NOT IN ('created', 'updated'))`,

  insertEntry: `INSERT INTO entries (n, conversation, seq, id, parent_id, kind, at, op, branch, blobs, body, sum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  insertOperation:
    "INSERT INTO operations (id, conversation, first_seq, last_seq, sum) VALUES (?, ?, ?, ?, ?)",
  updateCounts: `UPDATE conversations SET updated_at = ?2, last_message_at = ?3, active_at = ?4, message_count = ?5,
    last_seq = ?6, head = ?7, branch_count = ?8, compaction_count = ?9, tally = ?10 WHERE n = ?1`,
  updateTree: `UPDATE conversations SET head = ?2, branch_count = ?3, compaction_count = ?4,
    tally = ${sumSql("counts", { head: "?2", branch_count: "?3", compaction_count: "?4" })} WHERE n = ?1`,

  entryById: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = ? AND id = ?`,
  entriesByOperation: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = ?2 AND op = ?1
      AND seq BETWEEN (SELECT first_seq FROM operations WHERE id = ?1 AND conversation = ?2)
      AND (SELECT last_seq FROM operations WHERE id = ?1 AND conversation = ?2) ORDER BY seq`,
  seqOf: `SELECT seq FROM entries WHERE conversation = ${LIVE} AND id = ?`,
  opening: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = (SELECT n FROM conversations WHERE id = ?)
    AND kind = 'message' ORDER BY seq LIMIT ?`,
  rangeForward: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?`,
  rangeBackward: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE conversation = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT ?`,

  /** Whether the table has an entry that an index hides. In a log `n` grows with `seq`; another index limits the search. */
  storedEntry: `SELECT 1 FROM entries NOT INDEXED WHERE conversation = ?1 AND seq BETWEEN ?2 AND ?3
    AND n >= coalesce((SELECT n ${MARKED} AND seq <= ?2 ORDER BY seq DESC LIMIT 1), 0)
    AND n <= coalesce((SELECT n ${MARKED} AND seq >= ?3 ORDER BY seq LIMIT 1), ${Number.MAX_SAFE_INTEGER}) LIMIT 1`,

  insertMark: "INSERT OR IGNORE INTO purged (mark, sum) VALUES (?, ?)",
  purgeMarks: "SELECT mark FROM purged WHERE mark >= ? ORDER BY mark LIMIT ?",
  insertChange: "INSERT INTO changes (n, conversation, type, sum) VALUES (?, ?, ?, ?)",
  /** One statement, because another process may write between two. */
  changes: `SELECT ${ENTRY_COLUMNS}, (SELECT c.id FROM conversations c WHERE c.n = conversation), 'entry'
      FROM entries WHERE n > ?1
    UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, n, NULL, NULL, sum, conversation, type
      FROM changes WHERE n > ?1
    ORDER BY 9 LIMIT ?2`,

  blob: "SELECT n, size, encoding, stored_bytes FROM blobs WHERE hash = ?",
  upload: "SELECT n, stored_bytes FROM blobs WHERE upload = ?",
  insertBlob: `INSERT INTO blobs (hash, upload, size, encoding, stored_bytes, stored_at) VALUES (?, ?, ?, ?, ?, ?)
    RETURNING n`,
  extendUpload: "UPDATE blobs SET stored_bytes = ?2, stored_at = ?3 WHERE n = ?1",
  nameUpload: "UPDATE blobs SET upload = NULL, hash = ?2, size = ?3, encoding = ?4 WHERE n = ?1",
  touchBlob: "UPDATE blobs SET stored_at = max(stored_at, ?2) WHERE n = ?1",
  insertChunk: "INSERT INTO blob_chunks (blob, position, data) VALUES (?, ?, ?)",
  chunks: `SELECT position, data FROM blob_chunks WHERE blob = ?1 AND position < ?3 AND position >=
      coalesce((SELECT max(position) FROM blob_chunks WHERE blob = ?1 AND position <= ?2), 0) ORDER BY position`,
  deleteChunks: "DELETE FROM blob_chunks WHERE blob = ?",
  deleteBlob: "DELETE FROM blobs WHERE n = ?",
  references: "SELECT blobs FROM entries WHERE blobs IS NOT NULL",
  referencesOf: "SELECT blobs FROM entries WHERE blobs IS NOT NULL AND conversation = ?",
  /** From the index. Equal references of one conversation may be left out. */
  referencesAfter: `SELECT conversation, blobs FROM entries INDEXED BY entries_with_blobs
    WHERE blobs IS NOT NULL AND (conversation, blobs) > (?1, ?2) ORDER BY conversation, blobs`,
  /** From the table. Also those without references: what is not returned cannot be interrupted. */
  storedReferencesAfter: "SELECT n, blobs FROM entries NOT INDEXED WHERE n > ? ORDER BY n",
  entryByN: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE n = ?`,
  blobsBefore:
    "SELECT n, hash, stored_at FROM blobs WHERE hash IS NOT NULL AND stored_at < ?1 AND n > ?2 ORDER BY n",
  /** Whether it is the one that was found, and was not uploaded again since. */
  unusedBlob: "SELECT n, stored_bytes FROM blobs WHERE hash = ? AND stored_at = ?",
  suspectBlob: "UPDATE blobs SET stored_at = ~stored_at WHERE hash = ? AND stored_at >= 0",
  keepBlob: "UPDATE blobs SET stored_at = ~stored_at WHERE hash = ? AND stored_at < 0",
  uploadsBefore:
    "SELECT n, stored_bytes FROM blobs WHERE hash IS NULL AND upload IS NOT NULL AND stored_at < ?",
  /** It has neither a hash nor an upload: only the eraser finds it. */
  releaseBlob: "UPDATE blobs SET hash = NULL, upload = NULL WHERE n = ?",
  releasedBlob: `SELECT n FROM blobs WHERE ${RELEASED} LIMIT 1`,
  deleteSomeChunks: `DELETE FROM blob_chunks WHERE n IN
    (SELECT n FROM blob_chunks WHERE blob = ? ORDER BY position DESC LIMIT ?)`,

  journal: `SELECT ${sealedColumns("journals")} FROM journals WHERE conversation = ?`,
  journalLength: `SELECT position + length FROM journal_pieces WHERE conversation = ? ORDER BY position DESC LIMIT 1`,
  journalText: `SELECT ${sealedColumns("journal_pieces")} FROM journal_pieces WHERE conversation = ?1 AND position >=
      coalesce((SELECT max(position) FROM journal_pieces WHERE conversation = ?1 AND position <= ?2), 0) ORDER BY position`,
  insertJournal: "INSERT INTO journals (conversation, turn, header, sum) VALUES (?, ?, ?, ?)",
  updateJournal: "UPDATE journals SET header = ?, sum = ? WHERE conversation = ?",
  insertPiece:
    "INSERT INTO journal_pieces (conversation, position, length, text, sum) VALUES (?, ?, ?, ?, ?)",
  deletePieces: `DELETE FROM journal_pieces
    WHERE conversation = (SELECT conversation FROM journals WHERE conversation = ?1 AND turn = coalesce(?2, turn))`,
  deleteJournal: "DELETE FROM journals WHERE conversation = ?1 AND turn = coalesce(?2, turn)",

  lease: "SELECT state FROM leases WHERE conversation = ?",
  setLease:
    "INSERT INTO leases (conversation, state) VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state",
  deleteLease: "DELETE FROM leases WHERE conversation = ?",

  job: `SELECT ${sealedColumns("jobs")} FROM jobs WHERE queue = ? AND id = ?`,
  /** There are few of them. */
  jobs: `SELECT ${sealedColumns("jobs")} FROM jobs WHERE (?1 IS NULL OR queue = ?1) AND (?2 IS NULL OR id = ?2)
    AND (?3 IS NULL OR substr(queue, 1, length(?3)) = ?3) AND (?4 IS NULL OR conversation = ?4)
    AND (?5 IS NULL OR at > ?5 OR (at = ?5 AND n > ?6)) ORDER BY at, n LIMIT ?7`,
  lastJob: "SELECT coalesce(max(n), 0) FROM jobs",
  putJob:
    "INSERT OR REPLACE INTO jobs (queue, id, conversation, at, n, data, sum) VALUES (?, ?, ?, ?, ?, ?, ?)",
  deleteJob: "DELETE FROM jobs WHERE queue = ? AND id = ?",
  deleteJobsOf: "DELETE FROM jobs WHERE conversation = ?",

  measure: "SELECT count(*), coalesce(sum(octet_length(body)), 0) FROM entries WHERE conversation = ?",
  deleteOperations: `DELETE FROM operations WHERE conversation = ?1
    AND id IN (SELECT op FROM entries WHERE conversation = ?1 AND op IS NOT NULL)`,
  deleteEntries: "DELETE FROM entries WHERE conversation = ?",
  deleteConversation: "DELETE FROM conversations WHERE n = ?",
  replaceBody: `UPDATE entries SET body = ?3, blobs = NULL, sum = ${sumSql("entries", { body: "?3", blobs: "NULL" })}
    WHERE conversation = ?1 AND seq = ?2`,
  entriesInRange: `SELECT seq, kind, op, octet_length(body), blobs FROM entries
    WHERE conversation = ? AND seq BETWEEN ? AND ? AND kind <> '${REMOVED_KIND}' ORDER BY seq DESC LIMIT ?`,
  lastEntries: `SELECT seq, kind, op, octet_length(body), blobs FROM entries
    WHERE conversation = ? ORDER BY seq DESC LIMIT ?`,
  /** The caller seals the row. */
  shorten: "UPDATE conversations SET last_seq = ?2, message_count = message_count - ?3 WHERE n = ?1",
  halfPurged: `SELECT id FROM conversations WHERE deleted_at = ${PURGING}`,
  lastSwept:
    "SELECT DISTINCT conversation FROM (SELECT conversation FROM changes WHERE type = 'swept' ORDER BY n DESC LIMIT ?)",
  deleteEntry: "DELETE FROM entries WHERE conversation = ? AND seq = ?",
  blankEntry: `UPDATE entries SET kind = '${REMOVED_KIND}', body = '{}', blobs = NULL, op = NULL, branch = coalesce(branch, 0),
    sum = ${sumSql("entries", BLANK)} WHERE conversation = ? AND seq = ?`,
  deleteUnusedOperation: `DELETE FROM operations WHERE id = ?1 AND conversation = ?2 AND NOT EXISTS (SELECT 1 FROM entries
    WHERE conversation = ?2 AND op = ?1 AND seq BETWEEN first_seq AND last_seq)`,
  insertErasure: "INSERT INTO erasures DEFAULT VALUES",
  lastErasure: "SELECT max(n) FROM erasures",
  deleteErasures: "DELETE FROM erasures WHERE n <= ?",
  clearContext: `UPDATE conversations SET context_state = NULL,
    sum = ${sumSql("conversations", { context_state: "NULL" })} WHERE n = ?`,
  setKey: `UPDATE conversations SET key = ?3, sum = ${sumSql("conversations", { key: "?3" })},
    updated_at = ?2, tally = ${sumSql("counts", { updated_at: "?2" })} WHERE n = ?1`,
  subtractMessages: `UPDATE conversations SET message_count = message_count - ?2, updated_at = ?3,
    tally = ${sumSql("counts", { message_count: "message_count - ?2", updated_at: "?3" })} WHERE n = ?1`,
};

type StatementName = keyof typeof SQL;

/** A prepared statement whose rows are arrays. The caller says what its SELECT returns. */
export interface Statement {
  run(...params: SQLInputValue[]): { readonly changes: number | bigint };
  get<T extends Row = Row>(...params: SQLInputValue[]): T | undefined;
  all<T extends Row = Row>(...params: SQLInputValue[]): T[];
  iterate<T extends Row = Row>(...params: SQLInputValue[]): Iterable<T>;
}

export type Statements = Readonly<Record<StatementName, Statement>>;

export function prepare(database: DatabaseSync, sql: string): Statement {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  // The types of Node know only rows that are objects.
  return statement as object as Statement;
}

/** Prepared on first use, so that a command that only lists does not pay for the statements that write. */
export function prepareStatements(database: DatabaseSync): Statements {
  const statements = {} as Record<StatementName, Statement>;
  for (const name of Object.keys(SQL) as StatementName[]) {
    Object.defineProperty(statements, name, {
      configurable: true,
      get() {
        const statement = prepare(database, SQL[name]);
        Object.defineProperty(statements, name, { value: statement });
        return statement;
      },
    });
  }
  return statements;
}
