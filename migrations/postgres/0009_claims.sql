-- Who has claimed a due row: the claims of a process that is dead are over.

ALTER TABLE timers ADD COLUMN worker TEXT; -- NULL: nobody, or a process of an earlier release; those count by wake alone
CREATE INDEX timers_claimed ON timers (worker) WHERE worker IS NOT NULL;
