-- Places for parallel work, held or waited for, and calls of our own tools that
-- change something: a call that stands here began, and how it ended is not known
-- before it goes.

CREATE TABLE slots (
    id      TEXT PRIMARY KEY NOT NULL,
    kind    TEXT NOT NULL CHECK (kind IN ('subagent', 'teammate')),
    state   TEXT NOT NULL CHECK (state IN ('waiting', 'held')),
    project TEXT NOT NULL,
    thread  TEXT NOT NULL REFERENCES threads (id),
    since   INTEGER NOT NULL,
    call    TEXT NOT NULL
) STRICT;

CREATE TABLE calls (
    thread  TEXT NOT NULL REFERENCES threads (id),
    request TEXT NOT NULL,
    tool    TEXT NOT NULL,
    PRIMARY KEY (thread, request)
) STRICT, WITHOUT ROWID;
