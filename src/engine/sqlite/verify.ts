import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pragma } from "../../sqlite/pragma.ts";
import type { ConversationInfo, EngineStats, Finding, VerifyReport } from "../engine.ts";
import { TOP_COUNT } from "../rules.ts";
import { INFO_COLUMNS, type Row, toInfo } from "./rows.ts";

/** Each check is one query that returns what is wrong: a conversation and a text. */
const CHECKS: readonly { readonly code: string; readonly sql: string }[] = [
  {
    code: "wrong-count",
    sql: `SELECT c.id AS conversation, 'counted ' || c.message_count || ' messages, there are ' || coalesce(e.messages, 0) AS message
      FROM conversations c LEFT JOIN (SELECT conversation, sum(kind = 'message') AS messages FROM entries GROUP BY conversation) e
      ON e.conversation = c.n WHERE c.message_count <> coalesce(e.messages, 0)`,
  },
  {
    code: "wrong-head",
    sql: `SELECT c.id AS conversation, 'the head ' || coalesce(c.head, 'none') || ' is not the last entry' AS message
      FROM conversations c LEFT JOIN entries e ON e.conversation = c.n AND e.seq = c.last_seq
      WHERE c.head IS NOT e.id`,
  },
  {
    code: "dangling-parent",
    sql: `SELECT c.id AS conversation, 'entry ' || e.id || ' follows ' || e.parent_id || ', which does not exist' AS message
      FROM entries e JOIN conversations c ON c.n = e.conversation
      LEFT JOIN entries p ON p.conversation = e.conversation AND p.id = e.parent_id
      WHERE e.parent_id IS NOT NULL AND p.n IS NULL`,
  },
  {
    code: "bad-context-state",
    sql: `SELECT id AS conversation, 'its context state is not JSON' AS message
      FROM conversations WHERE NOT json_valid(context_state)`,
  },
  {
    code: "bad-entry",
    sql: `SELECT c.id AS conversation, 'entry ' || e.id || ' is not JSON' AS message
      FROM entries e JOIN conversations c ON c.n = e.conversation WHERE NOT json_valid(e.body)`,
  },
];

export function verifyDatabase(database: DatabaseSync, path: string): VerifyReport {
  const findings: Finding[] = [];
  const found = (code: string, conversation: string | null, message: string): void => {
    findings.push({ code, conversation, source: path, line: null, message });
  };
  for (const row of database.prepare("PRAGMA integrity_check(100)").iterate()) {
    if (row.integrity_check !== "ok") found("damaged-file", null, String(row.integrity_check));
  }
  for (const row of database.prepare("PRAGMA foreign_key_check").iterate()) {
    found("orphan-entry", null, `row ${row.rowid} of ${row.table} belongs to no conversation`);
  }
  for (const { code, sql } of CHECKS) {
    for (const row of database.prepare(sql).iterate())
      found(code, String(row.conversation), String(row.message));
  }
  return { ok: findings.length === 0, ...counts(database), findings };
}

export function measure(database: DatabaseSync, path: string): EngineStats {
  const size = (name: string): number => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  const trash = database
    .prepare(
      `SELECT coalesce(sum(length(body)), 0) AS bytes FROM entries
        WHERE conversation IN (SELECT n FROM conversations WHERE deleted_at IS NOT NULL)`,
    )
    .get();
  const live = database.prepare("SELECT count(*) AS live FROM conversations WHERE deleted_at IS NULL").get();
  return {
    ...counts(database),
    conversations: Number(live?.live),
    bytes: size(path) + size(`${path}-wal`),
    top: longestConversations(database),
    reclaimable: pragma(database, "freelist_count") * pragma(database, "page_size") + Number(trash?.bytes),
  };
}

function counts(database: DatabaseSync): { conversations: number; entries: number } {
  const row = database
    .prepare(
      "SELECT (SELECT count(*) FROM conversations) AS conversations, (SELECT count(*) FROM entries) AS entries",
    )
    .get();
  return { conversations: Number(row?.conversations), entries: Number(row?.entries) };
}

function longestConversations(database: DatabaseSync): ConversationInfo[] {
  const statement = database.prepare(
    `SELECT ${INFO_COLUMNS} FROM conversations WHERE deleted_at IS NULL ORDER BY message_count DESC LIMIT ${TOP_COUNT}`,
  );
  statement.setReturnArrays(true);
  return (statement.all() as unknown as Row[]).map((row) => toInfo(row, () => {}));
}
