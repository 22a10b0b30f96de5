package storage

import (
	"context"
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
	// ErrDone means a delivery of Batch.InboxDone was done already: its effect is stored, by somebody else. Nothing was written.
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
	// ErrFull is an ErrUnavailable: there is no space, so nothing was stored. It may be tried again when there is.
	ErrFull = fmt.Errorf("there is no space: %w", ErrUnavailable)
)

// KeyTakenError means a run with the same key exists within its window. Nothing was written.
type KeyTakenError struct{ Flow, Key, Run string }

// Error names the run that holds the key.
func (e *KeyTakenError) Error() string {
	return fmt.Sprintf("run key %q of flow %s is taken by run %s", e.Key, e.Flow, e.Run)
}

// Store keeps everything durable: flows, drafts, runs with their facts, gates, timers, leases, the inbox, surfaces, schedules.
// It sees states, documents and fact bodies as bytes plus named columns and understands none of them.
// All methods are safe for concurrent use; an error other than the ones above means the database has failed, and the
// caller may try again: no method leaves half of its work behind. Times are stored with microseconds, in UTC.
type Store interface {
	// Write applies a batch: all of it or nothing. The engine calls it for every transition, the bot for everything else.
	// Errors: ErrConflict (run, draft or schedule version; a trigger of another flow), *KeyTakenError (a new run's key), ErrDone (a
	// delivery), ErrStarted (a trigger's event).
	Write(ctx context.Context, b *Batch) error

	// NextRunNumber reserves the number for a run's short name; gaps are possible.
	NextRunNumber(ctx context.Context, flow string) (int, error)
	// Run loads a run with its state by id.
	Run(ctx context.Context, id string) (Run, error)
	// RunByName loads a run by its short name, such as refund-217.
	RunByName(ctx context.Context, name string) (Run, error)
	// Runs lists runs, newest first, without their states.
	Runs(ctx context.Context, q RunQuery) ([]Run, error)
	// LiveRuns lists runs that are not ended, newest first and with their states. before, the last run of an earlier page, is
	// where the list goes on; nil = the beginning.
	LiveRuns(ctx context.Context, q LiveQuery, before *Run) ([]Run, error)
	// LiveRunsBy counts the runs that somebody asked for, that are not ended and that nobody's subflow node started.
	LiveRunsBy(ctx context.Context, user string) (int, error)
	// Facts lists a run's facts with Seq > after, in order; kinds narrows them when given.
	Facts(ctx context.Context, run string, after int64, kinds ...string) ([]Fact, error)
	// SomeFacts is Facts, with the first few of them only: a run may have more than there is memory for. EachFact asks for all.
	SomeFacts(ctx context.Context, run string, after int64, limit int, kinds ...string) ([]Fact, error)
	// FactsBySeq loads the named facts of a run, in order of Seq.
	FactsBySeq(ctx context.Context, run string, seqs []int64) ([]Fact, error)

	// Before gives the run that held the key of another one before it, and that it was put behind (RunWrite.After); "" = there is
	// none. It may be over, or removed.
	Before(ctx context.Context, run string) (string, error)
	// Behind lists the runs that were put right behind another one: hardly ever more than one.
	Behind(ctx context.Context, run string) ([]string, error)

	// Spent gives what the runs of a flow have spent on models in a month, in USD.
	Spent(ctx context.Context, flow, month string) (float64, error)
	// Used gives what a person has used of a model provider in a day.
	Used(ctx context.Context, person, day, provider string) (ModelUse, error)

	// Lock keeps other processes from writing a run until its Locked has written or is released, or for a few seconds at most: for who
	// keeps losing the compare-and-set. Load the run after it; it may be gone. An error: the lock was not to be had within a few
	// seconds; writing without it is as safe.
	Lock(ctx context.Context, run string) (Locked, error)
	// Claim takes an unheld lease for a worker. False: somebody else holds it, or the epoch is over.
	Claim(ctx context.Context, run string, token, epoch int, worker string, now time.Time) (bool, error)
	// Leases lists the leases of all runs: at start every live token is dispatched again from here.
	Leases(ctx context.Context) ([]Lease, error)
	// HeldBy lists the leases that these workers hold.
	HeldBy(ctx context.Context, workers []string) ([]Lease, error)
	// Unclaimed lists unheld leases for which nobody will be woken up: without a Queue all unheld ones, with one those whose job
	// is missing or over.
	Unclaimed(ctx context.Context, limit int) ([]Lease, error)
	// Redispatch puts a job for an unheld lease into the Queue, instead of l.JobID. False: the lease was claimed, replaced or
	// dispatched again meanwhile, or there is no Queue.
	Redispatch(ctx context.Context, l Lease) (bool, error)

	// Beat says that a process is alive, and returns what it has to know.
	Beat(ctx context.Context, process string, now time.Time) (Pulse, error)
	// Bury ends what dead processes have left behind, their leases excepted: their roles, their jobs in the Queue, their counters.
	Bury(ctx context.Context, processes []string) error

	// ClaimTimers takes up to limit due timers for a worker until now+hold and returns them, earliest first.
	// A timer that is not deleted by then is handed out again, or as soon as FreeTimers ends the claim.
	ClaimTimers(ctx context.Context, worker string, now time.Time, hold time.Duration, limit int) ([]Timer, error)
	// FreeTimers ends the claims of these workers, and says how many: what they hold is due again. nil = of all whose claims have a name.
	FreeTimers(ctx context.Context, workers []string) (int, error)
	// NextDue is when the earliest timer, or the earliest schedule that DueSchedules would list then, is due; the zero time when
	// there is none.
	NextDue(ctx context.Context) (time.Time, error)

	// Events lists events of a name that happened at since or later, in order of time and id.
	Events(ctx context.Context, name string, since time.Time, limit int) ([]Event, error)
	// ForgetEvents deletes up to limit events from before a time, unless a due row with their id is still to be worked on, and
	// says how many.
	ForgetEvents(ctx context.Context, before time.Time, limit int) (int, error)

	// Gate loads a gate by id ("run-id/number").
	Gate(ctx context.Context, id string) (Gate, error)
	// Gates lists gates, newest first.
	Gates(ctx context.Context, q GateQuery) ([]Gate, error)
	// OpenAsked counts the open gates by whom they are for.
	OpenAsked(ctx context.Context) ([]AskedCount, error)

	// Flow loads a flow's head row.
	Flow(ctx context.Context, name string) (Flow, error)
	// Flows lists all flows by name.
	Flows(ctx context.Context) ([]Flow, error)
	// Revision loads one revision; number 0 means the newest.
	Revision(ctx context.Context, flow string, number int) (Revision, error)
	// RevisionByHash loads the newest revision with a LockHash.
	RevisionByHash(ctx context.Context, flow, lockHash string) (Revision, error)
	// Revisions lists a flow's revisions, newest first.
	Revisions(ctx context.Context, flow string) ([]Revision, error)

	// Pauses lists what people have paused, by flow.
	Pauses(ctx context.Context) ([]Pause, error)

	// Draft loads a draft by id.
	Draft(ctx context.Context, id string) (Draft, error)
	// DraftInThread loads the newest draft of a thread, whatever its status.
	DraftInThread(ctx context.Context, channel, thread string) (Draft, error)

	// Schedule loads a schedule by id.
	Schedule(ctx context.Context, id string) (Schedule, error)
	// Schedules lists schedules; flow "" = of all flows.
	Schedules(ctx context.Context, flow string) ([]Schedule, error)
	// DueSchedules lists unpaused schedules whose Next is not after now, earliest first, without those of flows that are paused
	// (see Pause).
	DueSchedules(ctx context.Context, now time.Time, limit int) ([]Schedule, error)
	// KeptFires lists unpaused schedules that keep a fire and whose latest run has ended, or is not there any more.
	KeptFires(ctx context.Context, limit int) ([]Schedule, error)

	// Triggers lists the triggers of a kind that listen to a subject, by flow and number.
	Triggers(ctx context.Context, kind, subject string) ([]Trigger, error)
	// TriggersOf lists the triggers of a flow by number.
	TriggersOf(ctx context.Context, flow string) ([]Trigger, error)
	// TriggerStart says which run of a flow an event has started (Batch.Started).
	TriggerStart(ctx context.Context, flow, kind, event string) (TriggerStart, error)

	// Probe stores something and removes it again, in one transaction. Nil means that the database takes what is to be stored; ErrFull and
	// ErrUnavailable say why it does not.
	Probe(ctx context.Context) error
	// PutInbox stores what Slack delivered. False: the dedupe key is known already.
	PutInbox(ctx context.Context, m Inbox) (fresh bool, err error)
	// PendingInbox lists rows that are not done, in order of arrival, with ID > after.
	PendingInbox(ctx context.Context, after int64, limit int) ([]Inbox, error)
	// PendingInThread lists a thread's rows that are not done, in order of arrival.
	PendingInThread(ctx context.Context, thread string, limit int) ([]Inbox, error)

	// Surface loads a surface by id.
	Surface(ctx context.Context, id string) (Surface, error)
	// SurfacesOf lists the surfaces that show a reference, such as "run:ID".
	SurfacesOf(ctx context.Context, ref string) ([]Surface, error)
	// StaleSurfaces lists surfaces with Wanted > Shown that are due (RetryAt not after now): of each kind, user and channel up to limit,
	// those that are stale for longest first. So nobody's surfaces keep another one's out of the list.
	StaleSurfaces(ctx context.Context, now time.Time, limit int) ([]Surface, error)
	// BlockedSurfaces counts the surfaces that wait for a cause to be over, by cause.
	BlockedSurfaces(ctx context.Context) ([]Blocked, error)
	// WaitingSurfaces lists up to limit stale surfaces that wait for a cause to be over, due or not, those that are stale for longest
	// first.
	WaitingSurfaces(ctx context.Context, cause string, limit int) ([]Surface, error)
	// UnblockSurfaces makes the surfaces that wait for a cause due at once. They keep since when they waited, until they are shown.
	UnblockSurfaces(ctx context.Context, cause string) error
	// RetryAside makes the surfaces stale again that an earlier release than this one has set aside.
	RetryAside(ctx context.Context, release string) error
	// MarkSurface replaces what is known of what a surface's message shows, and makes it stale and due at once.
	MarkSurface(ctx context.Context, id, hash string) error
	// SurfaceAt finds the surface behind a message.
	SurfaceAt(ctx context.Context, channel, ts string) (Surface, error)
	// SaveSurface stores what was sent: place, ts, body, Shown, hash, file, retry time, tries, what it is blocked by, whether it is
	// set aside, and the notes of its delivery. It never lowers Wanted.
	// ErrNotFound: there is no such surface.
	SaveSurface(ctx context.Context, s Surface) error

	// Audit lists audit rows of a reference, newest first; ref "" = all.
	Audit(ctx context.Context, ref string, limit int) ([]Audit, error)

	// Removable lists final runs that nothing refers to any more, those that ended first first. It gives no states.
	Removable(ctx context.Context, q RemovalQuery) ([]Run, error)
	// OldDrafts lists drafts that were made before a time and are not approved, the oldest first.
	OldDrafts(ctx context.Context, before time.Time, limit int) ([]Draft, error)
	// DraftsAfter lists drafts of every status with an id after this one, by id.
	DraftsAfter(ctx context.Context, id string, limit int) ([]Draft, error)
	// ForgetReasons removes the details of up to limit of a person's audit rows about pauses, where their reasons stand, and says how many.
	ForgetReasons(ctx context.Context, user string, limit int) (int, error)
	// Compact frees the space of what was removed, so that nothing of it can be read in the database's files any more; where processes
	// share the database, it is the database's own matter.
	Compact(ctx context.Context) error
	// Remove takes a run or drafts away and keeps the run's trail: all of it or nothing. The facts of a run and their blobs stay until
	// RemoveFacts takes them. ErrConflict: the run has changed since it was listed, or is gone.
	Remove(ctx context.Context, r Removal) error
	// RemoveFacts takes up to limit facts of a removed run away, with the blobs that only they refer to, and says how many; 0 = there
	// are none left.
	RemoveFacts(ctx context.Context, limit int) (int, error)
	// RemoveInbox takes up to limit done deliveries away that were received before a time, and says how many. Their dedupe keys go
	// with them.
	RemoveInbox(ctx context.Context, before time.Time, limit int) (int, error)
	// RemoveSurfaces takes up to limit surfaces of a kind away that were made before a time and are not stale, and says how many.
	RemoveSurfaces(ctx context.Context, kind string, before time.Time, limit int) (int, error)
	// QueueEntries lists entries of key queues, in order of runs; Batch.LeaveQueue takes them away.
	QueueEntries(ctx context.Context, q QueueQuery) ([]QueueEntry, error)
	// RemoveSpend takes what flows spent in months before this one away, up to limit rows, and says how many.
	RemoveSpend(ctx context.Context, before string, limit int) (int, error)
	// RemoveUse takes what people used of models before this day away, up to limit rows, and says how many.
	RemoveUse(ctx context.Context, before string, limit int) (int, error)
	// CountOld says how much there is that RemoveInbox, OldDrafts with Remove, RemoveSurfaces and RemoveSpend would take away.
	CountOld(ctx context.Context, q OldQuery) (Old, error)
	// RemovedRun loads what is left of a removed run by its id: no title, no key, no state.
	RemovedRun(ctx context.Context, id string) (Run, error)
	// RemovedRunByName is RemovedRun by the short name.
	RemovedRunByName(ctx context.Context, name string) (Run, error)
	// Trail lists the facts that were kept of a removed run, in order.
	Trail(ctx context.Context, run string) ([]Fact, error)

	// Elect takes or renews a named role for holder until now+ttl. False: somebody else has it.
	Elect(ctx context.Context, role, holder string, now time.Time, ttl time.Duration) (bool, error)
	// Resign gives a named role up. Nothing happens when somebody else has it.
	Resign(ctx context.Context, role, holder string) error
	// Serve takes the exclusive right to serve this store for the life of the process (a file lock beside the SQLite file; an
	// advisory lock on a connection of its own on Postgres). ErrLocked names the holder. lost is closed when the right is lost.
	Serve(ctx context.Context, holder string) (release func() error, lost <-chan struct{}, err error)

	// Close ends the store.
	Close() error
}

// Batch is one all-or-nothing write. Everything in it depends on the success of Run's compare-and-set, when there is one.
type Batch struct {
	Run        *RunWrite
	InboxDone  []int64 // inbox rows whose effect this is: compared and set, so that no delivery has two; 0 = none
	Flow       *Flow   // upsert of the head row
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
	Top    bool   // only runs that nobody's subflow node started
	Parent string // only the runs that this one started; Flow, Live and Top do not matter then
	// Outcome narrows to runs that ended so, within Flow, Live and Top.
	Outcome string
	// Channel and Thread narrow to the runs that live in a thread, when both are given; the others do not matter then.
	Channel, Thread string
	// Flows and By narrow to runs of these flows, or that somebody asked for, when Flows is given and Flow is not.
	Flows []string
	By    string

	Limit int // 0 = 50
	Skip  int // how many of the newest are left out
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
	Worker  string // "" = nobody yet
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
	// Gone is a condition: the job {job} is missing, or will wake nobody up any more.
	Gone string
	// End is a statement that ends the job {job}, which is gone.
	End string
	// Bury is a statement that ends the jobs that the workers named in $1, an array of texts, were performing.
	Bury string
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
	Number  int    // 1, 2, ... within the thread
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
