-- Calls that changed something, and calls that were refused to their caller. Each row
-- is chained to the one before it. Rows are only added.
CREATE TABLE audit (
    n      INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    tool   TEXT NOT NULL,
    effect TEXT NOT NULL,
    caller TEXT NOT NULL,
    proof  TEXT NOT NULL,
    level  TEXT NOT NULL,
    thread TEXT NOT NULL,
    about  TEXT NOT NULL,
    result TEXT NOT NULL,
    count  INTEGER NOT NULL,
    chain  BLOB NOT NULL
) STRICT;
CREATE INDEX audit_caller ON audit (caller, n);
CREATE INDEX audit_tool ON audit (tool, n);
CREATE INDEX audit_thread ON audit (thread, n) WHERE thread <> '';
