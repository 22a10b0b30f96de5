-- What people have paused. The column flows.paused was never set and is not read.

CREATE TABLE pauses (
    flow   TEXT PRIMARY KEY, -- '': everything
    actor  BYTEA,
    reason TEXT NOT NULL,
    since  TIMESTAMPTZ
);
