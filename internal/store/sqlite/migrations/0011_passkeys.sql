-- Passkeys that persons enrolled. One that is revoked stays, so that it can be told
-- what rested on it. Nothing here is secret.
CREATE TABLE passkeys (
    id         TEXT NOT NULL PRIMARY KEY,
    person     TEXT NOT NULL,
    name       TEXT NOT NULL,
    site       TEXT NOT NULL,
    handle     BLOB NOT NULL,
    credential BLOB NOT NULL UNIQUE,
    record     BLOB NOT NULL,
    created    INTEGER NOT NULL,
    used       INTEGER NOT NULL,
    revoked    INTEGER NOT NULL,
    revoked_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Sessions of the page get an id that can be shown, and say what they are.
ALTER TABLE web_sessions ADD COLUMN id TEXT NOT NULL DEFAULT '';
ALTER TABLE web_sessions ADD COLUMN site TEXT NOT NULL DEFAULT '';
ALTER TABLE web_sessions ADD COLUMN how TEXT NOT NULL DEFAULT 'code' CHECK (how IN ('code', 'passkey', 'pairing'));
ALTER TABLE web_sessions ADD COLUMN passkey TEXT NOT NULL DEFAULT '';
ALTER TABLE web_sessions ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
UPDATE web_sessions SET id = lower(hex(randomblob(12))), seen = created;
CREATE UNIQUE INDEX web_sessions_id ON web_sessions (id);
