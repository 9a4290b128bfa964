import type { Migration } from "../../../sqlite/migrate.ts";

/** Times are milliseconds since 1970, scopes JSON. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: "users, tokens, sign-ins, keys, limits, audit",
    up: `
      CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
      CREATE TABLE users (
        sub TEXT PRIMARY KEY,
        permission TEXT NOT NULL,
        created_at INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE tokens (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        user TEXT NOT NULL,
        permission TEXT NOT NULL,
        scope TEXT,
        hash TEXT NOT NULL UNIQUE,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        last_used_at INTEGER,
        revoked_at INTEGER
      ) STRICT;
      -- A sign-in is a family of refresh tokens: each is used once and followed by the next.
      CREATE TABLE sign_ins (
        id TEXT PRIMARY KEY,
        user TEXT NOT NULL,
        token TEXT REFERENCES tokens (id),
        method TEXT NOT NULL,
        agent TEXT,
        created_at INTEGER NOT NULL,
        last_used_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        revoked_at INTEGER
      ) STRICT;
      CREATE INDEX sign_ins_by_user ON sign_ins (user);
      CREATE TABLE refresh_tokens (
        hash TEXT PRIMARY KEY,
        sign_in TEXT NOT NULL REFERENCES sign_ins (id) ON DELETE CASCADE,
        created_at INTEGER NOT NULL,
        used_at INTEGER,
        used_by TEXT
      ) STRICT;
      CREATE INDEX refresh_tokens_by_sign_in ON refresh_tokens (sign_in, created_at);
      CREATE TABLE links (hash TEXT PRIMARY KEY, user TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
      CREATE TABLE keys (
        id TEXT PRIMARY KEY,
        secret TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        -- Signs nothing any more, and verifies until then.
        retires_at INTEGER
      ) STRICT;
      CREATE TABLE devices (hash TEXT PRIMARY KEY, user TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
      CREATE TABLE failures (id INTEGER PRIMARY KEY, bucket TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
      CREATE INDEX failures_by_bucket ON failures (bucket, at);
      CREATE INDEX failures_by_time ON failures (at);
      CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        event TEXT NOT NULL,
        user TEXT,
        client TEXT,
        details TEXT
      ) STRICT;
      -- What is valid now, except for its time: the only place that joins a grant with its user.
      CREATE VIEW grants AS
        SELECT t.id, t.user, u.permission AS user_permission, t.permission, t.scope, t.expires_at
        FROM tokens AS t JOIN users AS u ON u.sub = t.user
        WHERE t.revoked_at IS NULL
        UNION ALL
        SELECT s.id, s.user, u.permission, coalesce(t.permission, u.permission), t.scope,
          min(s.expires_at, coalesce(t.expires_at, s.expires_at))
        FROM sign_ins AS s JOIN users AS u ON u.sub = s.user LEFT JOIN tokens AS t ON t.id = s.token
        WHERE s.revoked_at IS NULL AND (s.token IS NULL OR (t.id IS NOT NULL AND t.revoked_at IS NULL));
    `,
  },
  { name: "audit by event", up: "CREATE INDEX audit_by_event ON audit (event, id)" },
  {
    name: "the source of a grant",
    up: `
      DROP VIEW grants;
      CREATE VIEW grants AS
        SELECT t.id, t.id AS source, t.user, u.permission AS user_permission, t.permission, t.scope, t.expires_at
        FROM tokens AS t JOIN users AS u ON u.sub = t.user
        WHERE t.revoked_at IS NULL
        UNION ALL
        SELECT s.id, coalesce(s.token, s.id), s.user, u.permission, coalesce(t.permission, u.permission), t.scope,
          min(s.expires_at, coalesce(t.expires_at, s.expires_at))
        FROM sign_ins AS s JOIN users AS u ON u.sub = s.user LEFT JOIN tokens AS t ON t.id = s.token
        WHERE s.revoked_at IS NULL AND (s.token IS NULL OR (t.id IS NOT NULL AND t.revoked_at IS NULL));
    `,
  },
  {
    name: "blobs that a token stored",
    up: `
      CREATE TABLE uploads (
        source TEXT NOT NULL,
        hash TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (source, hash)
      ) STRICT, WITHOUT ROWID;
    `,
  },
];
