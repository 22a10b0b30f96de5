-- What the runs of a flow have spent on models.

CREATE TABLE spend (
    flow  TEXT NOT NULL,
    month TEXT NOT NULL,    -- of the installation's zone, as 2026-11
    nano  INTEGER NOT NULL, -- billionths of a USD
    PRIMARY KEY (flow, month)
) STRICT, WITHOUT ROWID;
