package storage

import "time"

// RemovalQuery asks for runs that may be removed.
type RemovalQuery struct {
	Final  []string  // the statuses in which nothing can happen any more
	Before time.Time // they ended before this
	After  *Run      // the last one of an earlier answer; nil = from the beginning
	Limit  int       // 0 = 50
}

// Removal is what one Remove takes away.
type Removal struct {
	// Run goes with its gates, timers, signals, leases and waits, if its version is still this one; nil = no run. Its key stays taken.
	Run *Run
	// Trail are the facts of the run that stay, whatever their sequence numbers.
	Trail []Fact
	// At is when the run is removed.
	At     time.Time
	Drafts []string // ids
	Refs   []string // references whose surfaces go
}
