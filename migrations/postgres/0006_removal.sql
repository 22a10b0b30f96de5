-- What is left of runs that were removed, and what finds old rows.

-- A run without its values: its title and its key are in its trail as hashes.
CREATE TABLE removed_runs (
    id       TEXT PRIMARY KEY,
    flow     TEXT NOT NULL,
    revision BIGINT NOT NULL,
    number   BIGINT NOT NULL,
    name     TEXT NOT NULL UNIQUE,
    status   TEXT NOT NULL,
    version  BIGINT NOT NULL,
    parent   TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    by_user  TEXT NOT NULL,
    steps    BIGINT NOT NULL,
    started  TIMESTAMPTZ,
    ended    TIMESTAMPTZ,
    removed  TIMESTAMPTZ,
    facts    BOOLEAN NOT NULL -- are there facts left to be taken away?
);
CREATE INDEX removed_runs_facts ON removed_runs (id) WHERE facts;

-- Who decided what: facts of removed runs, in which hashes stand in the place of values.
CREATE TABLE trail (
    run     TEXT NOT NULL,
    seq     BIGINT NOT NULL,
    kind    TEXT NOT NULL,
    version BIGINT NOT NULL,
    at      TIMESTAMPTZ,
    actor   BYTEA,
    token   BIGINT NOT NULL,
    node    TEXT NOT NULL,
    step    BIGINT NOT NULL,
    body    BYTEA,
    PRIMARY KEY (run, seq)
);

CREATE INDEX runs_ended ON runs (ended, id) WHERE ended IS NOT NULL;
CREATE INDEX timers_run ON timers (run);
CREATE INDEX inbox_done ON inbox (received) WHERE done;
CREATE INDEX drafts_old ON drafts (created) WHERE status <> 'approved';
CREATE INDEX surfaces_old ON surfaces (kind, created);
