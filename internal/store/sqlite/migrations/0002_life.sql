-- Every move in a thread's life: effort, budget, parking, what was rewound,
-- attachments, and messages that were taken back.

ALTER TABLE threads ADD COLUMN effort TEXT NOT NULL DEFAULT '';
ALTER TABLE threads ADD COLUMN budget INTEGER NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN cost INTEGER NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN parked TEXT NOT NULL DEFAULT '' CHECK (parked IN ('', 'limit', 'no_space'));
ALTER TABLE threads ADD COLUMN parked_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN fallback TEXT NOT NULL DEFAULT '';
CREATE INDEX threads_parked ON threads (id) WHERE parked <> '';

ALTER TABLE turns ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN rewound INTEGER NOT NULL DEFAULT 0 CHECK (rewound IN (0, 1));
CREATE INDEX turns_ended ON turns (ended) WHERE ended > 0;

ALTER TABLE items ADD COLUMN rewound INTEGER NOT NULL DEFAULT 0 CHECK (rewound IN (0, 1));

-- A CHECK can't be changed in place.
CREATE TABLE messages_new (
    no          INTEGER PRIMARY KEY NOT NULL,
    thread      TEXT NOT NULL REFERENCES threads (id),
    id          TEXT NOT NULL,
    text        TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'taken', 'done', 'unknown', 'removed')),
    turn        INTEGER NOT NULL,
    via         TEXT NOT NULL CHECK (via IN ('', 'turn', 'steer', 'queue', 'resume')),
    sent_by     TEXT NOT NULL,
    place       INTEGER NOT NULL,
    created     INTEGER NOT NULL,
    attachments BLOB,
    hash        TEXT NOT NULL,
    UNIQUE (thread, id)
) STRICT;
INSERT INTO messages_new SELECT no, thread, id, text, state, turn, via, sent_by, place, created, NULL, '' FROM messages;
DROP TABLE messages;
ALTER TABLE messages_new RENAME TO messages;
CREATE INDEX messages_open ON messages (thread, state) WHERE state IN ('queued', 'sent', 'taken');
