-- What persons decided on what folders bring: by the folder's real path, the provider
-- and the digest of just these files. One that is taken back goes; the event stays.
CREATE TABLE trust (
    path       TEXT NOT NULL,
    provider   TEXT NOT NULL,
    digest     TEXT NOT NULL,
    decision   TEXT NOT NULL CHECK (decision IN ('allow', 'deny')),
    decided_by TEXT NOT NULL,
    level      TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    PRIMARY KEY (path, provider, digest)
) STRICT, WITHOUT ROWID;
