-- What starts runs besides the clock and people's commands, and what has.

-- A trigger of a flow's newest revision.
CREATE TABLE triggers (
    id       TEXT PRIMARY KEY,
    flow     TEXT NOT NULL,
    revision BIGINT NOT NULL,
    num      BIGINT NOT NULL, -- its place in the flow
    kind     TEXT NOT NULL,
    subject  TEXT NOT NULL,    -- what it listens to: a channel, an emoji, a path
    body     BYTEA,            -- JSON
    owner    TEXT NOT NULL,
    channel  TEXT NOT NULL     -- the flow's home
);
CREATE INDEX triggers_subject ON triggers (kind, subject, flow, num);
CREATE INDEX triggers_flow ON triggers (flow, num);

-- Each thing that happened starts at most one run of a flow.
CREATE TABLE trigger_starts (
    flow  TEXT NOT NULL,
    kind  TEXT NOT NULL,
    event TEXT NOT NULL, -- which of the things that happened
    run   TEXT NOT NULL,
    at    TIMESTAMPTZ,
    PRIMARY KEY (flow, kind, event)
);
