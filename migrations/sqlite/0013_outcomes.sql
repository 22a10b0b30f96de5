-- How a run ended: done, rejected, failed, stopped, timed_out; empty while it is live.

ALTER TABLE runs ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
UPDATE runs SET outcome = CASE status WHEN 'succeeded' THEN 'done' WHEN 'failed' THEN 'failed' WHEN 'cancelled' THEN 'stopped' ELSE '' END;
CREATE INDEX runs_outcome ON runs (outcome, started DESC, id DESC) WHERE outcome <> '';
ALTER TABLE removed_runs ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
UPDATE removed_runs SET outcome = CASE status WHEN 'succeeded' THEN 'done' WHEN 'failed' THEN 'failed' WHEN 'cancelled' THEN 'stopped' ELSE '' END;
