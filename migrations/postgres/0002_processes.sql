-- Several processes on one database: who is alive, who holds what, and which job of the queue wakes somebody up for a lease.

CREATE TABLE processes (
    id    TEXT PRIMARY KEY, -- the worker's name in leases
    beats BIGINT NOT NULL,  -- raised every two seconds; whoever sees it stand still for six knows that the process is dead
    seen  TIMESTAMPTZ       -- the latest beat, for people
);

ALTER TABLE leases ADD COLUMN job_id BIGINT; -- NULL: no queue was told
CREATE INDEX leases_held ON leases (worker) WHERE worker IS NOT NULL;
CREATE INDEX leases_free ON leases (run, token) WHERE worker IS NULL;
CREATE INDEX roles_holder ON roles (holder);
CREATE INDEX inbox_thread ON inbox (thread, id) WHERE NOT done;
