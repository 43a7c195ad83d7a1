-- Keys that began a thread which was deleted. Only their hash is kept.

CREATE TABLE spent_keys (
    hash BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;
