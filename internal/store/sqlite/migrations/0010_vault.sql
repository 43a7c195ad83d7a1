-- Versions of the vault's items: what an item had before stays sealed beside it.
ALTER TABLE vault ADD COLUMN version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0);
ALTER TABLE vault ADD COLUMN created INTEGER NOT NULL DEFAULT 0;
ALTER TABLE vault ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
UPDATE vault SET created = updated;

CREATE TABLE vault_old (
    name    TEXT NOT NULL REFERENCES vault (name),
    version INTEGER NOT NULL CHECK (version > 0),
    sealed  BLOB NOT NULL,
    PRIMARY KEY (name, version)
) STRICT, WITHOUT ROWID;

-- Who may have an item. It names items that are there; a row goes when it is taken back.
CREATE TABLE vault_grants (
    name     TEXT NOT NULL REFERENCES vault (name),
    kind     TEXT NOT NULL CHECK (kind IN ('thread', 'project', 'agent', 'module')),
    holder   TEXT NOT NULL,
    given_by TEXT NOT NULL,
    proof    TEXT NOT NULL,
    level    TEXT NOT NULL,
    created  INTEGER NOT NULL,
    PRIMARY KEY (name, kind, holder)
) STRICT, WITHOUT ROWID;

CREATE TABLE vault_requests (
    id         TEXT PRIMARY KEY NOT NULL,
    thread     TEXT NOT NULL REFERENCES threads (id),
    name       TEXT NOT NULL,
    why        TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('open', 'granted', 'declined')),
    created    INTEGER NOT NULL,
    decided_by TEXT NOT NULL,
    decided_at INTEGER NOT NULL
) STRICT;
CREATE INDEX vault_requests_thread ON vault_requests (thread, name);
CREATE INDEX vault_requests_open ON vault_requests (created) WHERE state = 'open';

-- The loopback address at which a session's agent finds its credential's broker, and
-- the hash of the key that it shows there; '' for a session without one.
ALTER TABLE sessions ADD COLUMN broker TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN broker_key TEXT NOT NULL DEFAULT '';
