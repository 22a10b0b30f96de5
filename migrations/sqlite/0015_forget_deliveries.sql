-- A delivery that is done keeps its key, and nothing of what was said.

UPDATE inbox SET payload = NULL WHERE done;

-- Finds what one person did.

CREATE INDEX audit_user ON audit (user_id, id);
