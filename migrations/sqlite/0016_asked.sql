-- Finds the open gates that wait for somebody. asked says whom a gate is for, as its flow names them; it is empty for gates of earlier
-- releases.

ALTER TABLE gates ADD COLUMN asked TEXT NOT NULL DEFAULT '';
CREATE INDEX gates_asked ON gates (asked, opened, id) WHERE status = 'open';
