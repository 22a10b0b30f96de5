-- When a flow was removed: it starts no run until a revision of it is approved again.

ALTER TABLE flows ADD COLUMN retired INTEGER; -- NULL = it was not
