-- Acts that leave the machine and wait, or waited, for a person. The payload is
-- exactly what goes out.
CREATE TABLE gate (
    id         TEXT NOT NULL PRIMARY KEY,
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'approved', 'sending', 'sent', 'failed', 'unknown', 'denied', 'expired', 'cancelled')),
    kind       TEXT NOT NULL CHECK (kind IN ('http', 'git.push')),
    target     TEXT NOT NULL,
    options    BLOB NOT NULL,    -- JSON
    payload    BLOB NOT NULL,
    hash       TEXT NOT NULL,
    idempotent INTEGER NOT NULL,
    summary    TEXT NOT NULL,
    caller     TEXT NOT NULL,
    thread     TEXT NOT NULL,
    key        TEXT NOT NULL,
    created    INTEGER NOT NULL,
    expires    INTEGER NOT NULL,
    boot       TEXT NOT NULL,    -- the machine's start that the next two are counted from, in ms
    deadline   INTEGER NOT NULL,
    not_sooner INTEGER NOT NULL,
    decided    INTEGER NOT NULL,
    decided_by TEXT NOT NULL,
    proof      TEXT NOT NULL,
    level      TEXT NOT NULL,
    note       TEXT NOT NULL,
    claimed    INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    status     INTEGER NOT NULL,
    outcome    TEXT NOT NULL,
    answer     BLOB NOT NULL,
    ended      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX gate_key ON gate (caller, key) WHERE key <> '';
CREATE INDEX gate_live ON gate (created) WHERE state IN ('waiting', 'approved', 'sending');
CREATE INDEX gate_created ON gate (created, id);
CREATE INDEX gate_caller ON gate (caller, created);
CREATE INDEX gate_thread ON gate (thread) WHERE thread <> '';
