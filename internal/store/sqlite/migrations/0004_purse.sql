-- Models and prompts that a person set, and what turns used as numbers.

CREATE TABLE models (
    scope  TEXT NOT NULL CHECK (scope IN ('purpose', 'project')),
    name   TEXT NOT NULL,
    model  TEXT NOT NULL,
    set_by TEXT NOT NULL,
    set_at INTEGER NOT NULL,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;

-- The highest version is in force; reverts is the one whose text it took up.
CREATE TABLE prompts (
    purpose TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    text    TEXT NOT NULL,
    reverts INTEGER NOT NULL,
    set_by  TEXT NOT NULL,
    set_at  INTEGER NOT NULL,
    PRIMARY KEY (purpose, version)
) STRICT, WITHOUT ROWID;

-- What a turn used, beside the JSON: sums over years of turns read an index alone.
ALTER TABLE turns ADD COLUMN input INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN output INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN cache_read INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN cache_write INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN cost INTEGER NOT NULL DEFAULT 0;
UPDATE turns SET
    input = coalesce(json_extract(CAST(usage AS TEXT), '$.input_tokens'), 0),
    output = coalesce(json_extract(CAST(usage AS TEXT), '$.output_tokens'), 0),
    cache_read = coalesce(json_extract(CAST(usage AS TEXT), '$.cache_read_tokens'), 0),
    cache_write = coalesce(json_extract(CAST(usage AS TEXT), '$.cache_write_tokens'), 0),
    cost = coalesce(json_extract(CAST(usage AS TEXT), '$.cost_micros'), 0)
WHERE usage IS NOT NULL;
UPDATE threads SET cost = coalesce((SELECT sum(cost) FROM turns WHERE turns.thread = threads.id), 0);
DROP INDEX turns_ended;
CREATE INDEX turns_ended ON turns (ended, thread, model, input, output, cache_read, cache_write, cost) WHERE ended > 0;
