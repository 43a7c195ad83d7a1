-- How often an agent gave a message back unread.
ALTER TABLE messages ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;

-- Work in the background of a session, while it runs: a later daemon must not
-- close a session that still does something.

CREATE TABLE tasks (
    thread  TEXT NOT NULL REFERENCES threads (id),
    id      TEXT NOT NULL,
    title   TEXT NOT NULL,
    state   TEXT NOT NULL,
    item    TEXT NOT NULL,
    key     TEXT NOT NULL,
    started INTEGER NOT NULL,
    PRIMARY KEY (thread, id)
) STRICT, WITHOUT ROWID;
