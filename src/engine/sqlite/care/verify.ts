import type { DatabaseSync } from "node:sqlite";
import { REMOVED_KIND } from "../../../message/entry.ts";
import { MAIN } from "../../../tree/tree.ts";
import { FindingList } from "../../findings.ts";
import type { VerifyReport } from "../../queries.ts";
import { blobProblems } from "../blobs/verify-blobs.ts";
import { loadLogEnd, summaryOf } from "../log/tree-cache.ts";
import { prepare, type Statements } from "../statements.ts";
import { sumSql } from "../sums.ts";
import { counts } from "./stats.ts";

/** Entries whose parent does not precede them. Found first: SQLite would follow the parents of every entry otherwise. */
const NOT_EARLIER = `WITH late AS MATERIALIZED (SELECT e.* FROM entries e
  JOIN entries p ON p.conversation = e.conversation AND p.id = e.parent_id WHERE p.seq >= e.seq) SELECT * FROM late e`;
/** The entries that an entry follows, directly or not. */
const LEADS_TO = `WITH RECURSIVE up (id) AS (SELECT e.parent_id UNION SELECT a.parent_id FROM up
  JOIN entries a ON a.conversation = e.conversation AND a.id = up.id WHERE a.parent_id IS NOT NULL) SELECT id FROM up`;

/**
 * Each check is one query that returns what is wrong: a conversation and a message. Checksums of tables that grow are
 * compared row by row, and `is_bad` is 0 where nothing is wrong: Node.js keeps the arguments of `row_sum` in memory
 * until the query returns a row.
 */
const CHECKS: readonly { readonly code: string; readonly sql: string }[] = [
  {
    code: "wrong-count",
    sql: `SELECT c.id AS conversation, 'expected ' || c.message_count || ' messages, found ' || coalesce(e.messages, 0) AS message
      FROM conversations c LEFT JOIN (SELECT conversation, sum(kind = 'message') AS messages FROM entries GROUP BY conversation) e
      ON e.conversation = c.n WHERE c.message_count <> coalesce(e.messages, 0)`,
  },
  {
    code: "wrong-seq",
    sql: `SELECT id AS conversation, 'its last entry should have seq ' || last_seq AS message
      FROM conversations c WHERE last_seq IS NOT coalesce((SELECT max(seq) FROM entries WHERE conversation = c.n), 0)`,
  },
  {
    // A swept entry, and the entry that made a pruned branch, may name a parent that was removed.
    code: "dangling-parent",
    sql: `SELECT c.id AS conversation, 'entry ' || e.id || ' follows ' || e.parent_id || ', which does not exist' AS message
      FROM entries e JOIN conversations c ON c.n = e.conversation
      LEFT JOIN entries p ON p.conversation = e.conversation AND p.id = e.parent_id
      WHERE e.parent_id IS NOT NULL AND p.n IS NULL AND e.kind <> '${REMOVED_KIND}' AND coalesce(e.branch, 0) >= 0`,
  },
  {
    code: "cycle",
    sql: `SELECT c.id AS conversation, 'entry ' || e.id || iif(e.parent_id = e.id, ' follows itself',
        ' follows ' || e.parent_id || ', which leads back to it') AS message
      FROM (${NOT_EARLIER} WHERE e.id IN (${LEADS_TO})) e JOIN conversations c ON c.n = e.conversation`,
  },
  {
    code: "late-parent",
    sql: `SELECT c.id AS conversation, 'entry ' || e.id || ' follows ' || e.parent_id || ', which comes after it' AS message
      FROM (${NOT_EARLIER} WHERE e.id NOT IN (${LEADS_TO})) e JOIN conversations c ON c.n = e.conversation`,
  },
  {
    code: "bad-entry",
    sql: `SELECT c.id AS conversation,
        'entry ' || e.seq || ' (' || e.id || ') does not match its checksum, or is not JSON' AS message, is_bad
      FROM (SELECT *, sum IS NOT ${sumSql("entries")} OR NOT json_valid(body)
        OR NOT coalesce(json_valid(blobs), 1) AS is_bad FROM entries) e
      LEFT JOIN conversations c ON c.n = e.conversation`,
  },
  {
    code: "damaged-metadata",
    sql: `SELECT id AS conversation, 'its metadata does not match its checksum' AS message FROM conversations
      WHERE sum IS NOT ${sumSql("conversations")}`,
  },
  {
    code: "wrong-tally",
    sql: `SELECT id AS conversation, 'its counts and times do not match their checksum' AS message FROM conversations
      WHERE tally IS NOT ${sumSql("counts")}`,
  },
  {
    code: "bad-operation",
    sql: `SELECT c.id AS conversation, 'operation ' || o.id || ' does not match its checksum, or its entries' AS message
      FROM (SELECT * FROM operations o WHERE sum IS NOT ${sumSql("operations")} OR NOT EXISTS (
        SELECT 1 FROM entries WHERE conversation = o.conversation AND seq BETWEEN first_seq AND last_seq AND op = o.id)) o
      JOIN conversations c ON c.n = o.conversation`,
  },
  {
    code: "bad-operation",
    sql: `SELECT c.id AS conversation, 'operation ' || e.op || ' of entry ' || e.seq || ' is missing' AS message
      FROM entries e JOIN conversations c ON c.n = e.conversation
      WHERE e.op IS NOT NULL AND NOT EXISTS (SELECT 1 FROM operations WHERE id = e.op AND conversation = e.conversation)`,
  },
  {
    code: "bad-change",
    sql: `SELECT conversation, 'change ' || n || ' does not match its checksum' AS message,
      sum IS NOT ${sumSql("changes")} AS is_bad FROM changes`,
  },
  {
    code: "bad-mark",
    sql: `SELECT NULL AS conversation, 'the mark ' || mark || ' of a purged conversation does not match its checksum'
      AS message FROM purged WHERE sum IS NOT ${sumSql("purged")}`,
  },
  {
    code: "bad-journal",
    sql: `SELECT c.id AS conversation, 'the journal of turn ' || j.turn || ' does not match its checksum' AS message
      FROM journals j JOIN conversations c ON c.n = j.conversation WHERE j.conversation IN (
        SELECT conversation FROM journals WHERE sum IS NOT ${sumSql("journals")}
        UNION SELECT conversation FROM journal_pieces WHERE sum IS NOT ${sumSql("journal_pieces")})`,
  },
  {
    code: "bad-job",
    sql: `SELECT conversation, 'job ' || id || ' of ' || queue || ' does not match its checksum, or is not JSON' AS message
      FROM jobs WHERE sum IS NOT ${sumSql("jobs")} OR NOT json_valid(data)`,
  },
  {
    code: "orphan-job",
    sql: `SELECT conversation, 'job ' || id || ' of ' || queue || ' does not belong to a conversation' AS message
      FROM jobs WHERE conversation IS NOT NULL AND conversation NOT IN (SELECT id FROM conversations)`,
  },
  {
    code: "bad-context-state",
    sql: `SELECT id AS conversation, 'its context state is not JSON' AS message
      FROM conversations WHERE NOT json_valid(context_state)`,
  },
  {
    code: "missing-blob",
    sql: `SELECT c.id AS conversation, 'entry ' || e.id || ' refers to the blob ' || (r.value ->> 'hash') || ', which is missing'
        AS message
      FROM entries e JOIN conversations c ON c.n = e.conversation, json_each(iif(json_valid(e.blobs), e.blobs, '[]')) r
      WHERE e.blobs IS NOT NULL AND r.value ->> 'lost' IS NULL
        AND NOT EXISTS (SELECT 1 FROM blobs WHERE hash = r.value ->> 'hash')`,
  },
  {
    code: "bad-journal",
    sql: `SELECT c.id AS conversation, 'the journal of turn ' || j.turn || ' has a gap or is not JSON' AS message
      FROM journals j JOIN conversations c ON c.n = j.conversation WHERE NOT json_valid(j.header)
      OR EXISTS (SELECT 1 FROM journal_pieces p WHERE p.conversation = j.conversation AND (NOT json_valid(p.text)
        OR p.position <> (SELECT coalesce(sum(length), 0) FROM journal_pieces b WHERE b.conversation = p.conversation
          AND b.position < p.position)))`,
  },
  {
    code: "orphan-operation",
    sql: `SELECT NULL AS conversation, 'operation ' || o.id || ' does not belong to a conversation' AS message
      FROM operations o LEFT JOIN conversations c ON c.n = o.conversation WHERE c.n IS NULL`,
  },
];

/** Rows of these tables belong to a row of another table. */
const ORPHANS: Readonly<Record<string, string>> = {
  entries: "orphan-entry",
  journals: "orphan-journal",
  journal_pieces: "orphan-journal",
  leases: "orphan-lease",
  blob_chunks: "orphan-chunk",
};

type Report = (code: string, conversation: string | null, message: string) => void;

export function verifyDatabase(database: DatabaseSync, sql: Statements, path: string): VerifyReport {
  const list = new FindingList();
  const found: Report = (code, conversation, message) => {
    list.add({ code, conversation, source: path, line: null, message });
  };
  for (const row of database.prepare("PRAGMA integrity_check(100)").iterate()) {
    if (row.integrity_check !== "ok") found("damaged-file", null, String(row.integrity_check));
  }
  for (const row of database.prepare("PRAGMA foreign_key_check").iterate()) {
    const text = `row ${row.rowid} of ${row.table} does not belong to a row of ${row.parent}`;
    found(ORPHANS[String(row.table)] ?? "orphan", null, text);
  }
  for (const { code, sql } of CHECKS) {
    for (const { conversation, message, is_bad: isBad } of database.prepare(sql).iterate())
      if (isBad !== 0) found(code, conversation as string | null, String(message));
  }
  checkTrees(database, sql, found);
  for (const problem of blobProblems(database, sql)) found("bad-blob", null, problem);
  const findings = list.list();
  return { ok: findings.length === 0, ...counts(database), findings };
}

type TreeRow = [
  n: number,
  lastSeq: number,
  id: string,
  head: string | null,
  branches: number,
  compactions: number,
];

/** Compares what a conversation says of its tree with its entries. */
function checkTrees(database: DatabaseSync, sql: Statements, found: Report): void {
  const conversations = prepare(
    database,
    "SELECT n, last_seq, id, head, branch_count, compaction_count FROM conversations",
  );
  for (const [n, lastSeq, id, ...stored] of conversations.iterate<TreeRow>()) {
    const logEnd = loadLogEnd(sql, n, lastSeq);
    const [head, branches, compactions] = summaryOf(logEnd);
    if (stored[0] !== head)
      found("wrong-head", id, `expected the head ${stored[0] ?? "none"}, found ${head ?? "none"}`);
    if (stored[1] !== branches) found("wrong-count", id, `expected ${stored[1]} branches, found ${branches}`);
    if (stored[2] !== compactions)
      found("wrong-count", id, `expected ${stored[2]} compactions, found ${compactions}`);
    for (const branch of logEnd.tree.branches) {
      if (branch.id !== MAIN && branch.createdAt === null)
        found("lost-branch", id, `the entry that made branch ${branch.id} is missing`);
    }
  }
}
