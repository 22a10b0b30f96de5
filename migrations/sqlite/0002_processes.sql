-- Several processes on one database: who is alive, who holds what, and which job of the queue wakes somebody up for a lease.

CREATE TABLE processes (
    id    TEXT PRIMARY KEY, -- the worker's name in leases
    beats INTEGER NOT NULL, -- raised every two seconds; whoever sees it stand still for six knows that the process is dead
    seen  INTEGER           -- the latest beat, for people
) STRICT;

ALTER TABLE leases ADD COLUMN job_id INTEGER; -- NULL: no queue was told
CREATE INDEX leases_held ON leases (worker) WHERE worker IS NOT NULL;
CREATE INDEX leases_free ON leases (run, token) WHERE worker IS NULL;
CREATE INDEX roles_holder ON roles (holder);
CREATE INDEX inbox_thread ON inbox (thread, id) WHERE NOT done;
