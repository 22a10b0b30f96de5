-- What keeps a surface from being shown, and whose turn it is: everybody has a share, by kind, person and channel.

ALTER TABLE surfaces ADD COLUMN blocked TEXT NOT NULL DEFAULT ''; -- why Slack takes no message for it at present
ALTER TABLE surfaces ADD COLUMN blocked_at INTEGER;
ALTER TABLE surfaces ADD COLUMN aside TEXT NOT NULL DEFAULT ''; -- the release that has given up showing it in full
ALTER TABLE surfaces ADD COLUMN delivery BLOB; -- JSON: what is noted of its delivery
CREATE INDEX surfaces_share ON surfaces ((kind || ' ' || user_id || ' ' || channel), since, id) WHERE since IS NOT NULL;
CREATE INDEX surfaces_blocked ON surfaces (blocked, since, id) WHERE blocked <> '';
CREATE INDEX surfaces_aside ON surfaces (aside) WHERE aside <> '';
