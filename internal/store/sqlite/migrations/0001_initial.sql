-- The first schema. Enumerations are CHECKed with the words of package vyre
-- (a test compares the lists). Times are milliseconds since the epoch, 0 for
-- none; a turn is kept as its number within the thread, 0 for none; '' stands
-- for an id that is not set. JSON that only the program reads is a BLOB.

CREATE TABLE threads (
    id        TEXT PRIMARY KEY NOT NULL,
    provider  TEXT NOT NULL,
    driver    TEXT NOT NULL,
    model     TEXT NOT NULL,
    mode      TEXT NOT NULL CHECK (mode IN ('ask', 'edits', 'plan')),
    state     TEXT NOT NULL CHECK (state IN ('starting', 'idle', 'running', 'waiting', 'stopped', 'failed')),
    reason    TEXT NOT NULL CHECK (reason IN ('', 'idle', 'person', 'cap', 'limit', 'crash', 'restart', 'handoff', 'budget', 'breach')),
    purpose   TEXT NOT NULL,
    cwd       TEXT NOT NULL,
    project   TEXT NOT NULL,
    agent     TEXT NOT NULL,
    auth      TEXT NOT NULL,
    name      TEXT NOT NULL,
    source    TEXT NOT NULL,
    node      TEXT NOT NULL,
    worktree  TEXT NOT NULL,
    parent    TEXT NOT NULL,
    archived  INTEGER NOT NULL CHECK (archived IN (0, 1)),
    created   INTEGER NOT NULL,
    updated   INTEGER NOT NULL,
    native_id TEXT NOT NULL,
    launch    BLOB,
    turns     INTEGER NOT NULL,
    err       TEXT NOT NULL,
    key       TEXT NOT NULL,
    key_hash  TEXT NOT NULL
) STRICT;
CREATE INDEX threads_updated ON threads (updated DESC, id);
CREATE UNIQUE INDEX threads_key ON threads (key) WHERE key <> '';
CREATE INDEX threads_busy ON threads (id) WHERE state IN ('starting', 'running', 'waiting');

CREATE TABLE turns (
    thread   TEXT NOT NULL REFERENCES threads (id),
    n        INTEGER NOT NULL CHECK (n > 0),
    status   TEXT NOT NULL CHECK (status IN ('started', 'completed', 'failed', 'canceled')),
    origin   TEXT NOT NULL CHECK (origin IN ('person', 'agent')),
    messages BLOB,
    error    TEXT NOT NULL,
    usage    BLOB,
    started  INTEGER NOT NULL,
    ended    INTEGER NOT NULL,
    PRIMARY KEY (thread, n)
) STRICT, WITHOUT ROWID;

-- no is the order of first appearance; it never changes.
CREATE TABLE items (
    no      INTEGER PRIMARY KEY NOT NULL,
    id      TEXT NOT NULL UNIQUE,
    thread  TEXT NOT NULL REFERENCES threads (id),
    turn    INTEGER NOT NULL,
    kind    TEXT NOT NULL CHECK (kind IN ('user', 'text', 'reasoning', 'tool', 'plan', 'compaction', 'notice', 'error', 'subagent', 'raw')),
    status  TEXT NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'canceled')),
    text    TEXT NOT NULL,
    body    BLOB,
    parent  TEXT NOT NULL,
    rev     INTEGER NOT NULL,
    created INTEGER NOT NULL,
    key     TEXT NOT NULL
) STRICT;
CREATE INDEX items_thread ON items (thread, no);
CREATE INDEX items_turn ON items (thread, turn);
CREATE INDEX items_rev ON items (thread, rev);
CREATE INDEX items_running ON items (thread) WHERE status = 'running';

CREATE TABLE asks (
    no         INTEGER PRIMARY KEY NOT NULL,
    id         TEXT NOT NULL UNIQUE,
    thread     TEXT NOT NULL REFERENCES threads (id),
    turn       INTEGER NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('tool', 'plan', 'question', 'mode', 'trust')),
    tool       TEXT NOT NULL,
    title      TEXT NOT NULL,
    display    TEXT NOT NULL,
    input      BLOB,
    digest     TEXT NOT NULL,
    source     TEXT NOT NULL,
    agent_path BLOB,
    blocked    TEXT NOT NULL,
    why        TEXT NOT NULL,
    options    BLOB,
    state      TEXT NOT NULL CHECK (state IN ('open', 'answering', 'answered', 'cancelled')),
    decision   TEXT NOT NULL CHECK (decision IN ('', 'allow', 'deny')),
    scope      TEXT NOT NULL CHECK (scope IN ('', 'once', 'session', 'project')),
    message    TEXT NOT NULL,
    mode       TEXT NOT NULL CHECK (mode IN ('', 'ask', 'edits', 'plan')),
    decided_by TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    created    INTEGER NOT NULL,
    session    TEXT NOT NULL,
    request    TEXT NOT NULL,
    call       TEXT NOT NULL,
    native     BLOB,
    answer_h   TEXT NOT NULL,
    level      TEXT NOT NULL,
    proof      TEXT NOT NULL,
    withdrew   TEXT NOT NULL
) STRICT;
CREATE INDEX asks_thread ON asks (thread, no);
CREATE INDEX asks_unsettled ON asks (no) WHERE state IN ('open', 'answering');

CREATE TABLE messages (
    no      INTEGER PRIMARY KEY NOT NULL,
    thread  TEXT NOT NULL REFERENCES threads (id),
    id      TEXT NOT NULL,
    text    TEXT NOT NULL,
    state   TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'taken', 'done', 'unknown')),
    turn    INTEGER NOT NULL,
    via     TEXT NOT NULL CHECK (via IN ('', 'turn', 'steer', 'queue', 'resume')),
    sent_by TEXT NOT NULL,
    place   INTEGER NOT NULL,
    created INTEGER NOT NULL,
    UNIQUE (thread, id)
) STRICT;
CREATE INDEX messages_open ON messages (thread, state) WHERE state IN ('queued', 'sent', 'taken');

-- start_time and cgroup_id are unsigned; their bits are kept as they are. A
-- session is written before its thread: a refused start leaves no thread.
CREATE TABLE sessions (
    id         TEXT PRIMARY KEY NOT NULL,
    thread     TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('starting', 'prepared', 'live', 'ended')),
    boot_id    TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    start_time INTEGER NOT NULL,
    pgid       INTEGER NOT NULL,
    sid        INTEGER NOT NULL,
    cgroup     TEXT NOT NULL,
    cgroup_id  INTEGER NOT NULL,
    agent_pid  INTEGER NOT NULL,
    level      TEXT NOT NULL,
    dir        TEXT NOT NULL,
    socket     TEXT NOT NULL,
    token      TEXT NOT NULL,
    committed  INTEGER NOT NULL,
    checkpoint INTEGER NOT NULL,
    started    INTEGER NOT NULL,
    ended      INTEGER NOT NULL,
    exit       TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_open ON sessions (thread) WHERE state <> 'ended';

CREATE TABLE frames (
    session TEXT NOT NULL REFERENCES sessions (id),
    n       INTEGER NOT NULL,
    bytes   BLOB NOT NULL,
    ask     TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (session, n)
) STRICT, WITHOUT ROWID;

-- chain = SHA-256(chain before || header || data_hash); data is NULL once it
-- was redacted. item is set for thread.text only: the item it is words of.
CREATE TABLE events (
    seq       INTEGER PRIMARY KEY NOT NULL,
    ts        INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    thread    TEXT NOT NULL,
    turn      INTEGER NOT NULL,
    item      TEXT,
    data      BLOB,
    data_hash BLOB NOT NULL CHECK (length(data_hash) = 32),
    chain     BLOB NOT NULL CHECK (length(chain) = 32)
) STRICT;
CREATE INDEX events_item ON events (item) WHERE item IS NOT NULL;

-- A run of pruned events: the chain goes from hash_before to hash_after.
CREATE TABLE pruned (
    first       INTEGER PRIMARY KEY NOT NULL,
    last        INTEGER NOT NULL CHECK (last >= first),
    hash_before BLOB NOT NULL CHECK (length(hash_before) = 32),
    hash_after  BLOB NOT NULL CHECK (length(hash_after) = 32)
) STRICT;

-- No event has a seq above reserved; the next run starts after it.
CREATE TABLE log_mark (
    id       INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
    reserved INTEGER NOT NULL
) STRICT;
INSERT INTO log_mark (id, reserved) VALUES (1, 0);

CREATE TABLE vault (
    name    TEXT PRIMARY KEY NOT NULL,
    sealed  BLOB NOT NULL,
    updated INTEGER NOT NULL
) STRICT;

CREATE TABLE codes (
    hash    BLOB PRIMARY KEY NOT NULL,
    expires INTEGER NOT NULL
) STRICT;

-- A page's session has two secrets: hash is that of its cookie, proof that of
-- what the page itself keeps.
CREATE TABLE web_sessions (
    hash    BLOB PRIMARY KEY NOT NULL,
    proof   BLOB NOT NULL CHECK (length(proof) = 32),
    person  TEXT NOT NULL,
    name    TEXT NOT NULL,
    created INTEGER NOT NULL
) STRICT;
