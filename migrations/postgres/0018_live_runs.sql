-- How many live runs a person has is counted at each start.

CREATE INDEX runs_live_by ON runs (by_user) WHERE ended IS NULL AND parent = '' AND by_user <> '';
