package storage

import "time"

// QueueEntry is a run in its key's queue, behind the one that held the key before it.
type QueueEntry struct {
	Run    string
	Behind string
	// Over means that both runs are over, or removed, and that no signal about the end of Behind is left. A run behind Run then needs to know only
	// what was before Behind.
	Over bool
	// First means that Behind has no entry itself.
	First bool
}

// QueueQuery asks for entries, in order of runs.
type QueueQuery struct {
	Final        []string // the statuses in which nothing can happen any more
	SignalPrefix string   // what the id of a due row begins with that tells of the end of a run; the run's id follows
	After        string   // the last run of an earlier page; "" = from the beginning
	Limit        int      // 0 = 50
}

// OldQuery asks how much there is that may be removed. A zero time, or an empty month, leaves a kind out.
type OldQuery struct {
	Deliveries time.Time // done, and received before this
	Drafts     time.Time // not approved, and made before this
	Messages   time.Time // of these kinds, not stale, and made before this
	Kinds      []string
	Month      string // spent in months before this one
}

// Old counts what may be removed.
type Old struct{ Deliveries, Drafts, Messages, Months int }
