-- Standing allows that a person gave, by project. One that is taken back stays, so
-- that it can be told what went ahead by it.
CREATE TABLE grants (
    id         TEXT NOT NULL PRIMARY KEY,
    project    TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('command', 'prefix', 'write', 'tool')),
    args       BLOB,             -- JSON
    path       TEXT NOT NULL,
    source     TEXT NOT NULL,
    tool       TEXT NOT NULL,
    from_ask   TEXT NOT NULL,
    given_by   TEXT NOT NULL,
    proof      TEXT NOT NULL,
    level      TEXT NOT NULL,
    created    INTEGER NOT NULL,
    expires    INTEGER NOT NULL,
    revoked    INTEGER NOT NULL,
    revoked_by TEXT NOT NULL,
    uses       INTEGER NOT NULL DEFAULT 0,
    last_used  INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_live ON grants (project, created) WHERE revoked = 0;

-- Asks that one act may answer bear the same word here.
ALTER TABLE asks ADD COLUMN alike TEXT NOT NULL DEFAULT '';
