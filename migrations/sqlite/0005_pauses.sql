-- What people have paused. The column flows.paused was never set and is not read.

CREATE TABLE pauses (
    flow   TEXT PRIMARY KEY, -- '': everything
    actor  BLOB,
    reason TEXT NOT NULL,
    since  INTEGER
) STRICT, WITHOUT ROWID;
