import type { DatabaseSync } from "node:sqlite";
import type { Migration } from "../../../sqlite/migrate.ts";
import { purgeMark } from "../../removal-rules.ts";
import { defineRowSum, rowSum, sumSql } from "../sums.ts";

/** "Clqy" in ASCII: how a file says that it is ours. */
export const APPLICATION_ID = 0x436c7179;

/**
 * Numbered by their place. Released ones never change; a new idea is a new one.
 *
 * Rows are found through integers (`n`), because text keys in every index
 * would take a tenth of the file. Times are milliseconds since 1970.
 */
export const migrations: readonly Migration[] = [
  {
    name: "conversations, entries and operations",
    up: `
      CREATE TABLE conversations (
        n INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        key TEXT,
        title TEXT,
        channel TEXT,
        model TEXT,
        profile_id TEXT,
        context_state TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        last_message_at INTEGER,
        -- last_message_at, or created_at while there is no message: the order of listings.
        active_at INTEGER NOT NULL,
        deleted_at INTEGER,
        message_count INTEGER NOT NULL DEFAULT 0,
        last_seq INTEGER NOT NULL DEFAULT 0,
        head TEXT
      ) STRICT;
      -- The trash keeps its keys but does not hold them.
      CREATE UNIQUE INDEX conversations_by_key ON conversations (key) WHERE deleted_at IS NULL;
      CREATE INDEX conversations_by_activity ON conversations (active_at DESC, id) WHERE deleted_at IS NULL;
      CREATE INDEX conversations_in_trash ON conversations (active_at DESC, id) WHERE deleted_at IS NOT NULL;

      CREATE TABLE entries (
        n INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations (n),
        seq INTEGER NOT NULL,
        id TEXT NOT NULL,
        parent_id TEXT,
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        operation_id TEXT,
        body TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX entries_by_seq ON entries (conversation, seq);
      -- Ids grow with time, so writes to many conversations meet at the end of this index.
      CREATE UNIQUE INDEX entries_by_id ON entries (id, conversation);

      -- One row for an append that has a name, however many entries it wrote.
      CREATE TABLE operations (
        id TEXT NOT NULL,
        conversation INTEGER NOT NULL REFERENCES conversations (n),
        first_seq INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        PRIMARY KEY (id, conversation)
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    name: "branches, blobs, turns, leases and changes",
    up: `
      -- Where the log goes to another branch, and for everything but messages: the branch, or -1 for
      -- entries that lie on none. NULL goes on with the branch of the entry before.
      ALTER TABLE entries ADD COLUMN branch INTEGER;
      -- References to parts of the message that stand in blobs, as JSON.
      ALTER TABLE entries ADD COLUMN blobs TEXT;
      UPDATE entries SET branch = 0 WHERE kind <> 'message';
      -- A process of an older version that has the file open would write without branches. Under another name
      -- it does not find this column any more, and stops with an error.
      ALTER TABLE entries RENAME COLUMN operation_id TO operation;
      CREATE INDEX entries_marked ON entries (conversation, seq) WHERE branch IS NOT NULL;
      -- Holds the references themselves: asking for them all must not touch the messages.
      CREATE INDEX entries_with_blobs ON entries (conversation, blobs) WHERE blobs IS NOT NULL;

      ALTER TABLE conversations ADD COLUMN branch_count INTEGER NOT NULL DEFAULT 1;
      ALTER TABLE conversations ADD COLUMN compaction_count INTEGER NOT NULL DEFAULT 0;

      -- Made again without its reference: for each conversation that is purged, all of it would be searched.
      ALTER TABLE operations RENAME TO operations_1;
      CREATE TABLE operations (
        id TEXT NOT NULL,
        conversation INTEGER NOT NULL,
        first_seq INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        PRIMARY KEY (id, conversation)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO operations SELECT id, conversation, first_seq, last_seq FROM operations_1;
      DROP TABLE operations_1;

      CREATE TABLE blobs (
        n INTEGER PRIMARY KEY,
        -- NULL as long as it is being taken in; then it has the name of its upload.
        hash TEXT UNIQUE,
        upload TEXT UNIQUE,
        size INTEGER NOT NULL,
        encoding TEXT NOT NULL,
        stored_bytes INTEGER NOT NULL,
        stored_at INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE blob_chunks (
        n INTEGER PRIMARY KEY,
        blob INTEGER NOT NULL REFERENCES blobs (n),
        position INTEGER NOT NULL,
        data BLOB NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX blob_chunks_by_position ON blob_chunks (blob, position);

      -- The turn that is under way, and its text so far.
      CREATE TABLE journals (
        conversation INTEGER PRIMARY KEY REFERENCES conversations (n),
        turn TEXT NOT NULL,
        header TEXT NOT NULL
      ) STRICT;
      CREATE TABLE journal_pieces (
        conversation INTEGER NOT NULL REFERENCES journals (conversation),
        position INTEGER NOT NULL,
        length INTEGER NOT NULL,
        -- As JSON, because a piece may end within a surrogate pair.
        text TEXT NOT NULL,
        PRIMARY KEY (conversation, position)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE leases (
        conversation INTEGER PRIMARY KEY REFERENCES conversations (n),
        state TEXT NOT NULL
      ) STRICT;

      -- What was committed and is no entry. Its n and those of entries are one sequence. Whatever takes
      -- entries away leaves a row here that lies behind them, so that no n is ever given out twice.
      CREATE TABLE changes (
        n INTEGER PRIMARY KEY,
        conversation TEXT NOT NULL,
        type TEXT NOT NULL
      ) STRICT;
      -- Which feed this is: a copy of the file goes its own way, and places of the one mean nothing in the other.
      CREATE TABLE feed (tag INTEGER NOT NULL) STRICT;
      INSERT INTO feed VALUES (abs(random() % 4294967296));
    `,
  },
  {
    name: "checksums",
    up: addSums,
  },
  {
    name: "pending erasures",
    up: `
      -- A row for each removal whose traces may still be in the file. Numbers are never used again: a process
      -- that has cleaned up to one of them must not delete the row of a later removal.
      CREATE TABLE erasures (n INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;
    `,
  },
  {
    name: "marks of purged conversations",
    up: addPurged,
  },
  {
    name: "jobs",
    up: `
      -- What is still to be done. A job names its conversation by its id, as changes do.
      CREATE TABLE jobs (
        queue TEXT NOT NULL,
        id TEXT NOT NULL,
        conversation TEXT,
        at INTEGER NOT NULL,
        n INTEGER NOT NULL,
        data TEXT NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (queue, id)
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    name: "ids of entries by conversation",
    up: `
      -- Ids of other programs are random: with the id first, every entry of an import changed another page.
      DROP INDEX entries_by_id;
      CREATE UNIQUE INDEX entries_by_id ON entries (conversation, id);
    `,
  },
];

function addSums(database: DatabaseSync): void {
  defineRowSum(database);
  database.exec(`
    -- Under another name, because a process of an older version would write rows without a checksum. Like this it
    -- stops with an error.
    ALTER TABLE entries RENAME COLUMN operation TO op;

    ALTER TABLE entries ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    -- Over what an append changes.
    ALTER TABLE conversations ADD COLUMN tally INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE operations ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE changes ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE journals ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE journal_pieces ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;

    UPDATE entries SET sum = ${sumSql("entries")};
    UPDATE conversations SET sum = ${sumSql("conversations")}, tally = ${sumSql("counts")};
    UPDATE operations SET sum = ${sumSql("operations")};
    UPDATE changes SET sum = ${sumSql("changes")};
    UPDATE journals SET sum = ${sumSql("journals")};
    UPDATE journal_pieces SET sum = ${sumSql("journal_pieces")};
  `);
}

/** Those that were purged before are known from the feed. */
function addPurged(database: DatabaseSync): void {
  defineRowSum(database);
  database.exec("CREATE TABLE purged (mark TEXT PRIMARY KEY, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID");
  const add = database.prepare("INSERT OR IGNORE INTO purged (mark, sum) VALUES (?, ?)");
  for (const row of database.prepare("SELECT conversation FROM changes WHERE type = 'purged'").iterate()) {
    const mark = purgeMark(String(row.conversation));
    add.run(mark, rowSum(mark));
  }
}
