import type { Migration } from "../../sqlite/migrate.ts";

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
];
