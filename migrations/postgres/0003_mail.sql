-- Letters between runs, and events that runs wait for.

ALTER TABLE timers ADD COLUMN body BYTEA; -- of a letter; NULL for a timer

-- What happened in the workspace. A due row with the event's id says that it is still to be spread.
CREATE TABLE events (
    id   TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    at   TIMESTAMPTZ,
    body BYTEA
);
CREATE INDEX events_name ON events (name, at, id);
CREATE INDEX events_at ON events (at);

-- Who waits for which event.
CREATE TABLE waits (
    run   TEXT NOT NULL,
    token BIGINT NOT NULL,
    name  TEXT NOT NULL,
    since TIMESTAMPTZ,
    PRIMARY KEY (run, token)
);
CREATE INDEX waits_name ON waits (name);

CREATE INDEX runs_parent ON runs (parent, started DESC, id DESC) WHERE parent <> '';
CREATE INDEX runs_top ON runs (started DESC, id DESC) WHERE parent = '';
