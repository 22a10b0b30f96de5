package sqlstore

import (
	"context"
	"time"
)

// Type says how a column's values travel to the database.
type Type int

// The types of columns. A zero time and nil bytes are stored as NULL, and so is an empty NullText.
const (
	Text     Type = iota // string
	NullText             // string
	Int                  // int64
	Bool                 // bool
	Bytes                // []byte
	Time                 // time.Time, in microseconds
)

// Column is a named value of a part's rows.
type Column struct {
	Name string
	Type Type
}

// Part is one statement of a write.
//
// With Into it inserts Rows into that table, and SQL is what follows, such as ON CONFLICT. Otherwise SQL is the statement, in which
// {rows} stands for Rows, as something to select from, with the names of Columns (also qualified, as v.name). A question mark in SQL
// stands for the next of Args.
type Part struct {
	Name    string // unique within a write
	Into    string
	SQL     string
	Columns []Column
	Rows    [][]any
	Of      []int // for each row, the number of the write in a group that it belongs to; nil = there is one write
	Args    []any
	Must    int   // how many rows it has to touch; 0 = any number
	Else    error // what Apply returns when it touched another number; nothing is written then
}

// Names lists the columns.
func (p Part) Names() string { return names(p.Columns) }

// Dialect has the operations that differ between the databases.
type Dialect interface {
	// Apply executes the parts, all or nothing. When the first part must touch one row, the others count on it.
	Apply(ctx context.Context, parts []Part) error
	// Compact gives the statements that rewrite the database without what was removed; none where the server does so by itself.
	Compact() []string
	// Kind names the writes that may go together with these parts; empty = none.
	Kind(parts []Part) string
	// GroupsAtOnce is how many writes, grouped or alone, may be under way at a time before others wait to be grouped.
	GroupsAtOnce() int
	// ApplyAll executes several writes of one kind in one transaction, each all or nothing, and returns the error of each. An
	// error of its own: none of them took effect, as far as the database tells.
	ApplyAll(ctx context.Context, group [][]Part) ([]error, error)
	// Undone reports whether an error of ApplyAll proves that nothing took effect, and says nothing about each write alone.
	Undone(err error) bool
	// Bind turns a parameter into what the driver takes: times, and lists for In.
	Bind(value any) any
	// In is the condition that a column is in the list that is bound to the numbered parameter.
	In(column string, parameter int, of Type) string
	// Statement picks the text of a statement that the databases write differently.
	Statement(name Name) string
	// Duplicate reports whether an error means that a row with this primary key exists.
	Duplicate(err error) bool
	// Unavailable reports whether an error means that the database cannot be reached, is busy or is full.
	Unavailable(err error) bool
	// Full reports whether an error means that there is no space.
	Full(err error) bool
	// Again reports whether an error means that the same write, tried again at once, may well succeed.
	Again(err error) bool
}

// Name names a statement that the databases write differently.
type Name string

// The statements that every dialect has.
const (
	ClaimTimers    Name = "claim timers"    // now, hold until, limit, worker -> columns of timers
	FreeTimers     Name = "free timers"     // workers
	FreeAllTimers  Name = "free all timers" // nothing
	PutInbox       Name = "put inbox"       // key, thread, kind, payload, received
	NextNumber     Name = "next number"     // flow, how many -> the last of them
	Unclaimed      Name = "unclaimed"       // limit -> columns of leases
	RemoveInbox    Name = "remove inbox"    // received before, limit
	RemoveSurfaces Name = "remove surfaces" // kind, created before, limit
	// ForgetEvents takes a time and a limit.
	ForgetEvents Name = "forget events"
	// Redispatch and EndDeadJobs are empty when there is no queue.
	Redispatch  Name = "redispatch"    // run, token, epoch, id of the job so far
	EndDeadJobs Name = "end dead jobs" // processes
)

// LeaseList are the columns of a lease as a store reads them.
const LeaseList = `run, token, epoch, coalesce(worker, '') AS worker, claimed, coalesce(job_id, 0) AS job_id`

// Micros is a time as microseconds since 1970; nil for the zero time.
func Micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}
