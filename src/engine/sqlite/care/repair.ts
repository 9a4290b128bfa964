/** Counts again what conversations say of their entries, inside a transaction. */
import type { DatabaseSync } from "node:sqlite";
import type { Finding } from "../../queries.ts";
import { loadLogEnd, summaryOf } from "../log/tree-cache.ts";
import { prepare, type Statements } from "../statements.ts";
import { sumSql } from "../sums.ts";

/** Findings that only rebuilding the file repairs. */
const DAMAGE: ReadonlySet<string> = new Set([
  "damaged-file",
  "bad-entry",
  "damaged-metadata",
  "bad-operation",
  "bad-change",
  "bad-journal",
  "bad-blob",
  "missing-blob",
  "dangling-parent",
  "late-parent",
  "cycle",
  "lost-branch",
  "bad-context-state",
  "orphan-entry",
  "orphan-journal",
  "orphan-lease",
  "orphan-chunk",
  "orphan-operation",
]);

/** Whether there is damage that cannot be corrected in place. */
export function needsNewFile(findings: readonly Finding[]): boolean {
  return findings.some(({ code }) => DAMAGE.has(code));
}

type Note = (code: string, conversation: string | null, message: string) => void;

export function repairDatabase(database: DatabaseSync, sql: Statements, path: string): Finding[] {
  const done: Finding[] = [];
  const note: Note = (code, conversation, message) => {
    done.push({ code, conversation, source: path, line: null, message });
  };
  const addChange = database.prepare(
    `INSERT INTO changes (n, conversation, type, sum) SELECT n, ?1, 'swept', row_sum(n, ?1, 'swept') FROM (
      SELECT 1 + max((SELECT coalesce(max(n), 0) FROM entries), (SELECT coalesce(max(n), 0) FROM changes)) AS n)`,
  );
  // Other processes add to the trees they have cached: this makes them read every tree again.
  for (const id of recount(database, sql, note)) addChange.run(id);
  dropMarks(database, note);
  dropJobs(database, note);
  return done;
}

/** Of a damaged mark nothing can be told. */
function dropMarks(database: DatabaseSync, note: Note): void {
  const wrong = `sum IS NOT ${sumSql("purged")}`;
  for (const { mark } of database.prepare(`DELETE FROM purged WHERE ${wrong} RETURNING mark`).all()) {
    note(
      "bad-mark",
      null,
      `the mark ${mark} of a purged conversation did not match its checksum; it was removed`,
    );
  }
}

/** A damaged job may be another one than it was: doing it could send words to the wrong person. */
function dropJobs(database: DatabaseSync, note: Note): void {
  const wrong = `sum IS NOT ${sumSql("jobs")} OR NOT json_valid(data)`;
  const orphan = "conversation IS NOT NULL AND conversation NOT IN (SELECT id FROM conversations)";
  const drop = (code: string, where: string, reason: string): void => {
    const rows = database.prepare(`DELETE FROM jobs WHERE ${where} RETURNING queue, id, conversation`).all();
    for (const { queue, id, conversation } of rows)
      note(code, conversation as string | null, `job ${id} of ${queue} ${reason}; it was removed`);
  };
  drop("bad-job", wrong, "did not match its checksum");
  drop("orphan-job", orphan, "did not belong to a conversation");
}

type StoredRow = [
  n: number,
  id: string,
  messageCount: number,
  lastSeq: number,
  head: string | null,
  branchCount: number,
  compactionCount: number,
  messages: number,
  last: number,
  isSealed: number,
];

/** Of one conversation, or of all. Returns the ids of those that were wrong. */
export function recount(database: DatabaseSync, sql: Statements, note: Note, only?: number): Set<string> {
  const corrected = new Set<string>();
  const stored = prepare(
    database,
    `SELECT n, id, message_count, last_seq, head, branch_count, compaction_count,
        (SELECT count(*) FROM entries WHERE conversation = c.n AND kind = 'message') AS messages,
        (SELECT coalesce(max(seq), 0) FROM entries WHERE conversation = c.n) AS last,
        tally IS ${sumSql("counts")} AS sealed
      FROM conversations c WHERE n = ifnull(?, n)`,
  );
  const write = database.prepare(
    `UPDATE conversations SET message_count = ?2, last_seq = ?3, head = ?4, branch_count = ?5, compaction_count = ?6,
      tally = ${sumSql("counts", { message_count: "?2", last_seq: "?3", head: "?4", branch_count: "?5", compaction_count: "?6" })}
      WHERE n = ?1`,
  );
  for (const row of stored.all<StoredRow>(only ?? null)) {
    const [n, id, messageCount, lastSeq, storedHead, branchCount, compactionCount, messages, last, isSealed] =
      row;
    const [head, branches, compactions] = summaryOf(loadLogEnd(sql, n, last));
    const changes = [
      changed("wrong-count", "messages", messageCount, messages),
      changed("wrong-seq", "the last seq", lastSeq, last),
      changed("wrong-head", "the head", storedHead, head),
      changed("wrong-count", "branches", branchCount, branches),
      changed("wrong-count", "compactions", compactionCount, compactions),
      isSealed === 1 ? [] : [["wrong-tally", "its counts have a new checksum"] as const],
    ].flat();
    if (changes.length === 0) continue;
    write.run(n, messages, last, head, branches, compactions);
    corrected.add(id);
    for (const [code, message] of changes) note(code, id, message);
  }
  return corrected;
}

function changed(
  code: string,
  what: string,
  was: number | string | null,
  is: number | string | null,
): (readonly [string, string])[] {
  return was === is ? [] : [[code, `${what}: ${is ?? "none"} instead of ${was ?? "none"}`]];
}
