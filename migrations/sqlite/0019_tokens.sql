-- What programs ask by HTTP with, in the place of a person.

CREATE TABLE tokens (
    id      TEXT PRIMARY KEY,
    hash    BLOB NOT NULL, -- SHA-256; the token itself is not kept
    user_id TEXT NOT NULL,
    name    TEXT NOT NULL, -- what it is for
    created INTEGER,
    expires INTEGER,       -- NULL = never
    revoked INTEGER        -- NULL = it counts
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tokens_hash ON tokens (hash);
CREATE INDEX tokens_user ON tokens (user_id, id);
