-- The newest draft of a thread is the one that came last: numbers begin again with each flow and each version.

CREATE INDEX drafts_newest ON drafts (channel, thread, created, id);
DROP INDEX drafts_thread;
