-- Finds the runs that live in the thread of a message that is not theirs.

CREATE INDEX runs_thread ON runs (channel, thread, started DESC, id DESC) WHERE thread <> '';
