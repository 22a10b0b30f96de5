-- Runs whose flow lets runs with the same key wait for each other.

-- A run and the one that held its key before it. A row goes away when nobody is before its run any more.
CREATE TABLE run_queue (
    run    TEXT PRIMARY KEY,
    behind TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX run_queue_behind ON run_queue (behind);
