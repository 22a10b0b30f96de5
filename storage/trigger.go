package storage

import "time"

// Schedule starts runs by the clock. A fire is unique: Next is compared and set in the batch that starts the run.
type Schedule struct {
	ID       string
	Flow     string
	Cron     string
	Zone     string // IANA
	Inputs   []byte // JSON
	Owner    string
	Channel  string
	Next     time.Time // next fire, zero when paused for good
	Last     time.Time // latest fire that took place, was kept or was left out
	CatchUp  string    // skip, once, all
	Overlap  string    // allow, skip, queue
	Paused   bool
	Failures int // failed fires in a row
	Version  int64
	// LatestRun is the run that it started last. Kept are fires whose runs start one after the other, each when the one before has
	// ended, in order.
	LatestRun string
	Kept      []time.Time
}

// Trigger starts runs of a flow when something happens. The rows of a flow are those of its newest revision.
type Trigger struct {
	ID       string // one that two flows cannot both have is the same for both
	Flow     string
	Revision int
	Num      int    // its place in the flow
	Kind     string // message, reaction, webhook
	Subject  string // what it listens to: a channel's id, the name of an emoji, a path
	Body     []byte // JSON: the trigger as the flow has it
	Owner    string // who approved it
	Channel  string // the flow's home channel, or the one that a reaction's trigger names
}

// TriggerStart says that a trigger's event has started a run of a flow: no other run of that flow starts by it.
type TriggerStart struct {
	Flow  string
	Kind  string // of the trigger
	Event string // which of the things that happened, such as a message's channel and time
	Run   string
	At    time.Time
}
