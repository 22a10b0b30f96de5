-- Times are microseconds since 1970 in UTC; NULL is "never". Bodies are JSON, kept as bytes.

CREATE TABLE flows (
    name     TEXT PRIMARY KEY,
    head     INTEGER NOT NULL,
    channel  TEXT NOT NULL,
    owner    TEXT NOT NULL,
    paused   INTEGER NOT NULL,
    updated  INTEGER
) STRICT;

CREATE TABLE revisions (
    flow      TEXT NOT NULL REFERENCES flows (name),
    number    INTEGER NOT NULL,
    hash      TEXT NOT NULL,
    lock_hash TEXT NOT NULL,
    body      BLOB,
    lock      BLOB,
    draft     TEXT NOT NULL,
    by_user   TEXT NOT NULL,
    at        INTEGER,
    PRIMARY KEY (flow, number)
) STRICT;

CREATE TABLE drafts (
    id       TEXT PRIMARY KEY,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    number   INTEGER NOT NULL,
    flow     TEXT NOT NULL,
    status   TEXT NOT NULL,
    author   TEXT NOT NULL,
    base     INTEGER NOT NULL,
    hash     TEXT NOT NULL,
    body     BLOB,
    version  INTEGER NOT NULL,
    created  INTEGER
) STRICT;
CREATE INDEX drafts_thread ON drafts (channel, thread, number);

CREATE TABLE runs (
    id        TEXT PRIMARY KEY,
    flow      TEXT NOT NULL,
    revision  INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    name      TEXT NOT NULL UNIQUE,
    title     TEXT NOT NULL,
    key       TEXT NOT NULL,
    status    TEXT NOT NULL,
    version   INTEGER NOT NULL,
    last_fact INTEGER NOT NULL, -- sequence number of the newest fact: the next transition must follow on
    parent    TEXT NOT NULL,
    channel   TEXT NOT NULL,
    thread    TEXT NOT NULL,
    by_user   TEXT NOT NULL,
    steps     INTEGER NOT NULL,
    started   INTEGER,
    ended     INTEGER,
    state     BLOB
) STRICT;
CREATE INDEX runs_newest ON runs (started DESC, id DESC);
CREATE INDEX runs_flow ON runs (flow, started DESC, id DESC);
CREATE INDEX runs_live ON runs (started DESC, id DESC) WHERE ended IS NULL;
CREATE INDEX runs_flow_live ON runs (flow, started DESC, id DESC) WHERE ended IS NULL;

-- The newest run that was started with a key.
CREATE TABLE run_keys (
    flow  TEXT NOT NULL,
    key   TEXT NOT NULL,
    run   TEXT NOT NULL,
    taken INTEGER,
    PRIMARY KEY (flow, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_numbers (
    flow TEXT PRIMARY KEY,
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE blobs (
    hash TEXT PRIMARY KEY, -- SHA-256 of the body, in hexadecimal
    body BLOB NOT NULL
) STRICT;

CREATE TABLE facts (
    run     TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    version INTEGER NOT NULL,
    at      INTEGER,
    actor   BLOB,
    token   INTEGER NOT NULL,
    node    TEXT NOT NULL,
    step    INTEGER NOT NULL,
    body    BLOB,
    blob    TEXT REFERENCES blobs (hash),
    PRIMARY KEY (run, seq)
) STRICT;
CREATE INDEX facts_blob ON facts (blob) WHERE blob IS NOT NULL;

CREATE TABLE leases (
    run     TEXT NOT NULL,
    token   INTEGER NOT NULL,
    epoch   INTEGER NOT NULL,
    worker  TEXT, -- NULL: nobody yet
    claimed INTEGER,
    PRIMARY KEY (run, token)
) STRICT, WITHOUT ROWID;

CREATE TABLE timers (
    id   TEXT PRIMARY KEY,
    run  TEXT NOT NULL,
    num  INTEGER NOT NULL,
    kind TEXT NOT NULL,
    due  INTEGER,
    wake INTEGER -- when to hand it out next: due, or the end of the claim that holds it
) STRICT, WITHOUT ROWID;
CREATE INDEX timers_wake ON timers (wake);

CREATE TABLE gates (
    id      TEXT PRIMARY KEY,
    run     TEXT NOT NULL,
    num     INTEGER NOT NULL,
    node    TEXT NOT NULL,
    kind    TEXT NOT NULL,
    status  TEXT NOT NULL,
    choice  TEXT NOT NULL,
    by_user TEXT NOT NULL,
    opened  INTEGER,
    due     INTEGER,
    decided INTEGER,
    body    BLOB
) STRICT;
CREATE INDEX gates_newest ON gates (opened DESC, id DESC);
CREATE INDEX gates_open ON gates (opened DESC, id DESC) WHERE status = 'open';
CREATE INDEX gates_run ON gates (run, opened DESC, id DESC);

CREATE TABLE schedules (
    id       TEXT PRIMARY KEY,
    flow     TEXT NOT NULL,
    cron     TEXT NOT NULL,
    zone     TEXT NOT NULL,
    inputs   BLOB,
    owner    TEXT NOT NULL,
    channel  TEXT NOT NULL,
    next     INTEGER,
    last     INTEGER,
    catch_up TEXT NOT NULL,
    overlap  TEXT NOT NULL,
    paused   INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    version  INTEGER NOT NULL
) STRICT;
CREATE INDEX schedules_flow ON schedules (flow, id);
CREATE INDEX schedules_next ON schedules (next) WHERE NOT paused;

CREATE TABLE inbox (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    key      TEXT NOT NULL UNIQUE,
    thread   TEXT NOT NULL,
    kind     TEXT NOT NULL,
    payload  BLOB,
    received INTEGER,
    done     INTEGER NOT NULL
) STRICT;
CREATE INDEX inbox_pending ON inbox (id) WHERE NOT done;

CREATE TABLE surfaces (
    id       TEXT PRIMARY KEY,
    kind     TEXT NOT NULL,
    ref      TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    user_id  TEXT NOT NULL,
    ts       TEXT NOT NULL,
    body     BLOB,
    wanted   INTEGER NOT NULL,
    shown    INTEGER NOT NULL,
    hash     TEXT NOT NULL,
    file     TEXT NOT NULL,
    retry_at INTEGER,
    tries    INTEGER NOT NULL,
    created  INTEGER,
    since    INTEGER -- stale since; NULL while it shows what is wanted
) STRICT;
CREATE INDEX surfaces_ref ON surfaces (ref, id);
CREATE INDEX surfaces_stale ON surfaces (since) WHERE since IS NOT NULL;
CREATE INDEX surfaces_message ON surfaces (channel, ts) WHERE ts <> '';

CREATE TABLE audit (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER,
    user_id TEXT NOT NULL,
    team    TEXT NOT NULL,
    via     TEXT NOT NULL,
    what    TEXT NOT NULL,
    ref     TEXT NOT NULL,
    detail  BLOB
) STRICT;
CREATE INDEX audit_ref ON audit (ref, id);

CREATE TABLE roles (
    role   TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until  INTEGER
) STRICT, WITHOUT ROWID;
