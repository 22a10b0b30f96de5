package storage

import (
	"errors"
	"fmt"
	"time"
)

// Errors that every store gives, wrapped with what was being done.
var (
	// ErrNotFound means no row has this id.
	ErrNotFound = errors.New("not found")
	// ErrConflict means the expected version was not the stored one: reload and decide again. Nothing was written.
	ErrConflict = errors.New("the stored version is another one")
	// ErrDone means a delivery of Batch.InboxDone was done already: its effect is stored. Nothing was written.
	ErrDone = errors.New("the delivery is done already")
	// ErrStarted means an event of Batch.Started has started a run of its flow already. Nothing was written.
	ErrStarted = errors.New("the event has started a run already")
	// ErrLocked means another process serves this store; the message names it.
	ErrLocked = errors.New("another process serves this store")
	// ErrNewer means the database was written by a newer program.
	ErrNewer = errors.New("the database is newer than this program")
	// ErrUnavailable means the database cannot be reached, is busy or is full. What was asked for may have happened all the same,
	// when the connection broke after the commit: asking again is safe, since a write then meets ErrConflict.
	ErrUnavailable = errors.New("the database is not available")
	// ErrRetired is an ErrNotFound: there was a flow of the name, which was retired.
	ErrRetired = fmt.Errorf("the flow is retired: %w", ErrNotFound)
	// ErrFull is an ErrUnavailable: there is no space, so nothing was stored. It may be tried again when there is.
	ErrFull = fmt.Errorf("there is no space: %w", ErrUnavailable)
)

// IgnoreMissing makes it no error that no row has the id.
func IgnoreMissing(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// KeyTakenError means a run with the same key exists within its window. Nothing was written.
type KeyTakenError struct{ Flow, Key, Run string }

// Error names the run that holds the key.
func (e *KeyTakenError) Error() string {
	return fmt.Sprintf("run key %q of flow %s is taken by run %s", e.Key, e.Flow, e.Run)
}

// Batch is one all-or-nothing write. Everything in it depends on the success of Run's compare-and-set, when there is one.
type Batch struct {
	Run        *RunWrite
	InboxDone  []int64 // inbox rows that this write is the effect of: compared and set, so that no delivery has two; 0 = none
	Flow       *Flow   // upsert of the head row
	Retire     *Retirement
	Revision   *Revision
	Draft      []Draft    // insert when Version is 0, else compare-and-set on Version
	Schedules  []Schedule // likewise
	Triggers   []Trigger  // to put; an ID that another flow has is ErrConflict
	NoTrigger  []string   // ids of triggers to delete; one that is also put is put
	Started    []TriggerStart
	Pause      []Pause   // to put: a flow that is paused already is left as it is
	Unpause    []string  // flows to delete from the pauses; "" = everything
	Surfaces   []Surface // inserted with Wanted 1; a known id is left as it is
	Stale      []string  // references whose surfaces are stale: Wanted is raised
	Audit      []Audit
	Signals    []Timer    // signals to runs and other due rows with a body; a known ID is left as it is
	NoSignals  []string   // ids of due rows to delete: what they were about is done, or concerns no run any more
	Events     []Event    // a known ID is left as it is
	FanOut     []FanOut   // signals to the runs that wait for events that are stored already
	Spend      []Spend    // added to what was spent
	Use        []ModelUse // added to what was used
	Tokens     []Token    // to put; a hash that another token has is an error
	Agents     []Agent    // to put
	NoAgents   []string   // ids of agents to delete; one that is also put is put
	LeaveQueue []string   // runs without one before them any more: they leave their key's queue
}

// RunWrite is one transition of one run. Facts must follow on without a gap: the first has the sequence number after the newest
// stored one (1 for a new run). An id that is both put and deleted is put. The Run fields of facts, timers, gates and leases may
// stay empty: they are the run's.
type RunWrite struct {
	Run     Run // all columns to store; Version is the expected one, 0 = create
	Facts   []Fact
	Copy    *Copy     // for a new run: facts of another one, which come after the first of Facts
	Timers  []Timer   // to put
	NoTimer []string  // timer ids to delete
	Gates   []Gate    // to put (insert or replace)
	Leases  []Lease   // dispatch: to insert or replace, unheld unless Worker is set
	NoLease []int     // tokens whose leases to delete
	KeyFrom time.Time // for a new run with a key: no run may have been started with it at this time or later; zero = ever
	TakeKey bool      // for a new run: Key must be free (false = may run beside the holder). The newest run with a key holds it
	After   string    // for a new run: the run that must hold Key, else *KeyTakenError; the new one is right behind it. "" = TakeKey counts
	Waits   []Wait    // to put: one for each token that waits for an event
	NoWait  []int     // tokens whose waits to delete
	Take    string    // a due row that must still be there, and is deleted; else ErrConflict. Empty = none
}

// Run is a run's row. ID, Flow, Number, Name, Key, Parent, By and Started are written when it is created and never change.
type Run struct {
	ID       string
	Flow     string
	Revision int
	Number   int
	Name     string // flow-number
	Title    string
	Key      string
	Status   string
	Outcome  string // how it ended; empty while it is live
	Version  int64  // of the compare-and-set; raised by one with every transition
	Parent   string
	Channel  string // where it lives: channel and thread of its status message
	Thread   string
	By       string // requester: user id
	Steps    int
	Started  time.Time
	Ended    time.Time // zero while live
	State    []byte
}

// Spend is what runs of a flow spent on models in a month.
type Spend struct {
	Flow  string
	Month string // such as 2026-11
	USD   float64
}

// ModelUse is what a person used of a model provider in a day.
type ModelUse struct {
	Person   string
	Day      string // such as 2026-11-22
	Provider string
	Tokens   int
	USD      float64
}

// RunQuery narrows a list of runs.
type RunQuery struct {
	Flow   string
	Live   bool   // only runs that are not ended
	Top    bool   // only runs that no subflow node started
	Parent string // only the runs that this one started; Flow, Live and Top do not matter then
	// Outcome narrows to runs that ended so, within Flow, Live and Top.
	Outcome string
	// Channel and Thread narrow to the runs that live in a thread, when both are given; the others do not matter then.
	Channel, Thread string
	// Flows and By narrow to runs of these flows, or that somebody asked for, when Flows is given and Flow is not.
	Flows []string
	By    string

	Limit  int  // 0 = 50
	Skip   int  // how many of the newest are left out
	Before *Run // where the list goes on: the last run of an earlier page; nil = the beginning
	After  *Run // the page before this one, its first run; nil = the beginning. The list is newest first all the same
}

// AuditQuery asks for a page of audit rows, newest first.
type AuditQuery struct {
	User   string // "" = of everybody
	Before int64  // the ID of the last row of an earlier page; 0 = the beginning
	Limit  int    // 0 = 50
}

// LiveQuery narrows a list of live runs.
type LiveQuery struct {
	Flow   string // "" = of all flows
	Status string // "" = any
	Limit  int    // 0 = 50
}

// Fact is a stored fact. A body over 64 KiB is kept in a blob row by the store itself; callers do not notice.
type Fact struct {
	Run     string
	Seq     int64
	Kind    string
	Version int
	At      time.Time
	Actor   []byte // JSON
	Token   int
	Node    string
	Step    int
	Body    []byte // JSON
}

// Lease says which worker has a token.
type Lease struct {
	Run     string
	Token   int
	Epoch   int
	Worker  string // "" = no worker yet
	Claimed time.Time
	JobID   int64 // of the job in the Queue that was put there with the lease; the store's to set, 0 = none
}

// Pulse is what a process learns with a beat.
type Pulse struct {
	Beats map[string]int64 // counters by process; one that holds a lease or a timer and never beat has 0
	Held  []Lease          // by the process that beat
}

// Queue is how a store wakes a worker up for a lease: pieces of SQL that the owner of the queue provides, all of them. Jobs are put there
// in the transaction that stores their leases.
type Queue struct {
	// Put is a statement that inserts a job for each row v of {rows}, which has the columns run, token and epoch. It returns
	// the columns job_id, run and token.
	Put string
	// Gone is a condition: the job {job} is missing, or will wake no worker any more.
	Gone string
	// End is a statement that ends the job {job}, which is gone.
	End string
	// EndDead is a statement that ends the jobs that the workers named in $1, an array of texts, were performing.
	EndDead string
}

// Timer is a due row of a run: a timer, or a signal to it, which is due at once.
type Timer struct {
	ID   string // "run-id/number"; a signal's unique key
	Run  string
	Num  int
	Kind string
	Due  time.Time
	Body []byte // of a signal: JSON
}

// Event is something that happened in the workspace, for runs that wait for it.
type Event struct {
	ID   string
	Name string
	At   time.Time
	Body []byte // JSON
}

// Wait says that a token waits for an event.
type Wait struct {
	Run   string
	Token int
	Name  string    // of the event
	Since time.Time // events from before do not count
}

// FanOut writes a signal with the event's body to each run that waits for the event now. A signal's ID is "Event/run/token".
type FanOut struct {
	Event string // id; the event must be stored before
	Kind  string // of the signals
	Due   time.Time
}

// Flow is a flow's head: its newest revision and where it lives.
type Flow struct {
	Name    string
	Head    int
	Channel string // home channel; a DM means its owner alone
	Owner   string
	Updated time.Time
	Retired time.Time // since when it starts no run; zero = it does. Approving a revision ends it
}

// Retirement ends a flow: it starts no run, and its schedules and triggers go. Its revisions and runs stay. A flow that is retired already,
// or does not exist, is left as it is.
type Retirement struct {
	Flow string
	At   time.Time
}

// Pause says that somebody paused a flow, or everything: no step of its runs starts.
type Pause struct {
	Flow   string // "" = everything
	Actor  []byte // JSON
	Reason string
	Since  time.Time
}

// Revision is one approved version.
type Revision struct {
	Flow     string
	Number   int
	Hash     string // of the canonical form
	LockHash string // of canonical form and lock together: what approval is bound to
	Body     []byte // canonical JSON
	Lock     []byte // JSON
	Draft    string
	By       string
	At       time.Time
}

// Draft is a proposed revision under discussion in a thread.
type Draft struct {
	ID      string
	Channel string
	Thread  string
	Number  int    // 1, 2, ... of one flow or version within the thread
	Flow    string // name
	Status  string // open, replaced, approved, discarded
	Author  string
	Base    int // revision it changes; 0 = new flow
	Hash    string
	Body    []byte // JSON: flow, outline, authors of edits, warnings
	Version int64
	Created time.Time
}

// Inbox is one delivery of Slack, stored before it is acknowledged.
type Inbox struct {
	ID       int64
	Key      string // dedupe key
	Thread   string // deliveries of one thread are worked on in order
	Kind     string
	Payload  []byte
	Received time.Time
	Done     bool
}

// Audit is something a person did outside a run: approved a revision, made a schedule.
type Audit struct {
	ID     int64
	At     time.Time
	User   string
	Team   string
	Via    string
	What   string
	Ref    string
	Detail []byte // JSON
}
