-- Large outputs of tools lie beside their items, in parts: a part is read without
-- the rest. They go with their item, or earlier, by their age.

CREATE TABLE outputs (
    item    TEXT PRIMARY KEY NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    bytes   INTEGER NOT NULL,
    created INTEGER NOT NULL
) STRICT;
CREATE INDEX outputs_created ON outputs (created);

CREATE TABLE output_parts (
    item  TEXT NOT NULL REFERENCES outputs (item) ON DELETE CASCADE,
    n     INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (item, n)
) STRICT;

-- Raw items whose body may go are found by their age.
CREATE INDEX items_raw ON items (created) WHERE kind = 'raw' AND body IS NOT NULL;
