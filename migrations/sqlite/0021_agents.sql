-- Agents of the installation that were added by command. Files declare others.

CREATE TABLE agents (
    id      TEXT PRIMARY KEY,
    source  TEXT NOT NULL, -- a file of this agent alone
    updated INTEGER
) STRICT, WITHOUT ROWID;
