-- What a schedule started last, and the fires that wait for its end.

ALTER TABLE schedules ADD COLUMN latest_run TEXT NOT NULL DEFAULT '';
ALTER TABLE schedules ADD COLUMN kept BLOB; -- times as a JSON list of microseconds; NULL for none
CREATE INDEX schedules_kept ON schedules (id) WHERE kept IS NOT NULL AND NOT paused;
