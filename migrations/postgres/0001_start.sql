-- NULL times are "never". Bodies are JSON, kept as bytes: convert_from(body, 'utf8') reads them.

CREATE TABLE flows (
    name     TEXT PRIMARY KEY,
    head     BIGINT NOT NULL,
    channel  TEXT NOT NULL,
    owner    TEXT NOT NULL,
    paused   BOOLEAN NOT NULL,
    updated  TIMESTAMPTZ
);

CREATE TABLE revisions (
    flow      TEXT NOT NULL REFERENCES flows (name),
    number    BIGINT NOT NULL,
    hash      TEXT NOT NULL,
    lock_hash TEXT NOT NULL,
    body      BYTEA,
    lock      BYTEA,
    draft     TEXT NOT NULL,
    by_user   TEXT NOT NULL,
    at        TIMESTAMPTZ,
    PRIMARY KEY (flow, number)
);

CREATE TABLE drafts (
    id       TEXT PRIMARY KEY,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    number   BIGINT NOT NULL,
    flow     TEXT NOT NULL,
    status   TEXT NOT NULL,
    author   TEXT NOT NULL,
    base     BIGINT NOT NULL,
    hash     TEXT NOT NULL,
    body     BYTEA,
    version  BIGINT NOT NULL,
    created  TIMESTAMPTZ
);
CREATE INDEX drafts_thread ON drafts (channel, thread, number);

CREATE TABLE runs (
    id        TEXT PRIMARY KEY,
    flow      TEXT NOT NULL,
    revision  BIGINT NOT NULL,
    number    BIGINT NOT NULL,
    name      TEXT NOT NULL UNIQUE,
    title     TEXT NOT NULL,
    key       TEXT NOT NULL,
    status    TEXT NOT NULL,
    version   BIGINT NOT NULL,
    last_fact BIGINT NOT NULL, -- sequence number of the newest fact: the next transition must follow on
    parent    TEXT NOT NULL,
    channel   TEXT NOT NULL,
    thread    TEXT NOT NULL,
    by_user   TEXT NOT NULL,
    steps     BIGINT NOT NULL,
    started   TIMESTAMPTZ,
    ended     TIMESTAMPTZ,
    state     BYTEA
);
CREATE INDEX runs_newest ON runs (started DESC, id DESC);
CREATE INDEX runs_flow ON runs (flow, started DESC, id DESC);
CREATE INDEX runs_live ON runs (started DESC, id DESC) WHERE ended IS NULL;
CREATE INDEX runs_flow_live ON runs (flow, started DESC, id DESC) WHERE ended IS NULL;

-- The newest run that was started with a key.
CREATE TABLE run_keys (
    flow  TEXT NOT NULL,
    key   TEXT NOT NULL,
    run   TEXT NOT NULL,
    taken TIMESTAMPTZ,
    PRIMARY KEY (flow, key)
);

CREATE TABLE run_numbers (
    flow TEXT PRIMARY KEY,
    last BIGINT NOT NULL
);

CREATE TABLE blobs (
    hash TEXT PRIMARY KEY, -- SHA-256 of the body, in hexadecimal
    body BYTEA NOT NULL
);

CREATE TABLE facts (
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
    blob    TEXT REFERENCES blobs (hash),
    PRIMARY KEY (run, seq)
);
CREATE INDEX facts_blob ON facts (blob) WHERE blob IS NOT NULL;

CREATE TABLE leases (
    run     TEXT NOT NULL,
    token   BIGINT NOT NULL,
    epoch   BIGINT NOT NULL,
    worker  TEXT, -- NULL: nobody yet
    claimed TIMESTAMPTZ,
    PRIMARY KEY (run, token)
);

CREATE TABLE timers (
    id   TEXT PRIMARY KEY,
    run  TEXT NOT NULL,
    num  BIGINT NOT NULL,
    kind TEXT NOT NULL,
    due  TIMESTAMPTZ,
    wake TIMESTAMPTZ -- when to hand it out next: due, or the end of the claim that holds it
);
CREATE INDEX timers_wake ON timers (wake);

CREATE TABLE gates (
    id      TEXT PRIMARY KEY,
    run     TEXT NOT NULL,
    num     BIGINT NOT NULL,
    node    TEXT NOT NULL,
    kind    TEXT NOT NULL,
    status  TEXT NOT NULL,
    choice  TEXT NOT NULL,
    by_user TEXT NOT NULL,
    opened  TIMESTAMPTZ,
    due     TIMESTAMPTZ,
    decided TIMESTAMPTZ,
    body    BYTEA
);
CREATE INDEX gates_newest ON gates (opened DESC, id DESC);
CREATE INDEX gates_open ON gates (opened DESC, id DESC) WHERE status = 'open';
CREATE INDEX gates_run ON gates (run, opened DESC, id DESC);

CREATE TABLE schedules (
    id       TEXT PRIMARY KEY,
    flow     TEXT NOT NULL,
    cron     TEXT NOT NULL,
    zone     TEXT NOT NULL,
    inputs   BYTEA,
    owner    TEXT NOT NULL,
    channel  TEXT NOT NULL,
    next     TIMESTAMPTZ,
    last     TIMESTAMPTZ,
    catch_up TEXT NOT NULL,
    overlap  TEXT NOT NULL,
    paused   BOOLEAN NOT NULL,
    failures BIGINT NOT NULL,
    version  BIGINT NOT NULL
);
CREATE INDEX schedules_flow ON schedules (flow, id);
CREATE INDEX schedules_next ON schedules (next) WHERE NOT paused;

CREATE TABLE inbox (
    id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key      TEXT NOT NULL UNIQUE,
    thread   TEXT NOT NULL,
    kind     TEXT NOT NULL,
    payload  BYTEA,
    received TIMESTAMPTZ,
    done     BOOLEAN NOT NULL
);
CREATE INDEX inbox_pending ON inbox (id) WHERE NOT done;

CREATE TABLE surfaces (
    id       TEXT PRIMARY KEY,
    kind     TEXT NOT NULL,
    ref      TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    user_id  TEXT NOT NULL,
    ts       TEXT NOT NULL,
    body     BYTEA,
    wanted   BIGINT NOT NULL,
    shown    BIGINT NOT NULL,
    hash     TEXT NOT NULL,
    file     TEXT NOT NULL,
    retry_at TIMESTAMPTZ,
    tries    BIGINT NOT NULL,
    created  TIMESTAMPTZ,
    since    BIGINT -- stale since; NULL while it shows what is wanted
);
CREATE INDEX surfaces_ref ON surfaces (ref, id);
CREATE INDEX surfaces_stale ON surfaces (since) WHERE since IS NOT NULL;
CREATE INDEX surfaces_message ON surfaces (channel, ts) WHERE ts <> '';

CREATE TABLE audit (
    id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      TIMESTAMPTZ,
    user_id TEXT NOT NULL,
    team    TEXT NOT NULL,
    via     TEXT NOT NULL,
    what    TEXT NOT NULL,
    ref     TEXT NOT NULL,
    detail  BYTEA
);
CREATE INDEX audit_ref ON audit (ref, id);

CREATE TABLE roles (
    role   TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until  TIMESTAMPTZ
);

-- Who holds the right to serve: one row at most.
CREATE TABLE servers (
    id     BIGINT PRIMARY KEY CHECK (id = 1),
    holder TEXT NOT NULL,
    since  TIMESTAMPTZ
);
