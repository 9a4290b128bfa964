/**
 * Putting right what can be put right without deleting a row. Inside a transaction.
 *
 * Indices are made again where SQLite says that they do not fit their table;
 * what a conversation says of its entries is counted again. Rows that cannot
 * be read stay as they are, and `verify` goes on saying so.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Finding } from "../../queries.ts";
import { loadLogEnd, summaryOf } from "../log/tree-cache.ts";
import type { Statements } from "../statements.ts";

type Note = (code: string, conversation: string | null, message: string) => void;

export function repairDatabase(database: DatabaseSync, sql: Statements, path: string): Finding[] {
  const done: Finding[] = [];
  const note: Note = (code, conversation, message) => {
    done.push({ code, conversation, source: path, line: null, message });
  };
  remakeIndices(database, note);
  recount(database, sql, note);
  return done;
}

function remakeIndices(database: DatabaseSync, note: Note): void {
  const before = indexProblems(database);
  if (before.length === 0) return;
  try {
    database.exec("REINDEX");
  } catch {
    // Two rows that an index does not allow side by side: nothing here can tell which one is right.
    return;
  }
  const after = new Set(indexProblems(database));
  for (const problem of before) {
    if (!after.has(problem)) note("damaged-file", null, `${problem}; the indices were made again`);
  }
}

function indexProblems(database: DatabaseSync): string[] {
  const rows = database.prepare("PRAGMA integrity_check(100)").all();
  return rows.map((row) => String(row.integrity_check)).filter((text) => /\bindex\b/.test(text));
}

interface Said {
  readonly n: number;
  readonly id: string;
  readonly message_count: number;
  readonly last_seq: number;
  readonly head: string | null;
  readonly branch_count: number;
  readonly compaction_count: number;
  readonly messages: number;
  readonly last: number;
}

function recount(database: DatabaseSync, sql: Statements, note: Note): void {
  const said = database.prepare(
    `SELECT n, id, message_count, last_seq, head, branch_count, compaction_count,
        (SELECT count(*) FROM entries WHERE conversation = c.n AND kind = 'message') AS messages,
        (SELECT coalesce(max(seq), 0) FROM entries WHERE conversation = c.n) AS last
      FROM conversations c`,
  );
  const write = database.prepare(
    `UPDATE conversations SET message_count = ?2, last_seq = ?3, head = ?4, branch_count = ?5, compaction_count = ?6
      WHERE n = ?1`,
  );
  const tell = database.prepare(
    `INSERT INTO changes (n, conversation, type) VALUES (1 + max(
      (SELECT coalesce(max(n), 0) FROM entries), (SELECT coalesce(max(n), 0) FROM changes)), ?1, 'swept')`,
  );
  for (const row of said.all() as unknown as Said[]) {
    const [head, branches, compactions] = summaryOf(loadLogEnd(sql, row.n, row.last));
    const changes = [
      changed("wrong-count", "messages", row.message_count, row.messages),
      changed("wrong-seq", "the last number", row.last_seq, row.last),
      changed("wrong-head", "the head", row.head, head),
      changed("wrong-count", "branches", row.branch_count, branches),
      changed("wrong-count", "compactions", row.compaction_count, compactions),
    ].flat();
    if (changes.length === 0) continue;
    write.run(row.n, row.messages, row.last, head, branches, compactions);
    // Other processes count trees on from where they were: now they have to begin anew.
    tell.run(row.id);
    for (const [code, message] of changes) note(code, row.id, message);
  }
}

function changed(
  code: string,
  what: string,
  was: number | string | null,
  is: number | string | null,
): (readonly [string, string])[] {
  return was === is ? [] : [[code, `${what}: ${is ?? "none"} instead of ${was ?? "none"}`]];
}
