package storage

import (
	"context"
	"time"
)

// Store keeps everything durable: flows, drafts, runs with their facts, gates, timers, leases, the inbox, surfaces, schedules.
// It sees states, documents and fact bodies as bytes plus named columns and understands none of them.
// All methods are safe for concurrent use; an error other than those of this package means the database has failed, and the
// caller may try again: no method leaves half of its work behind. Times are stored with microseconds, in UTC.
//
// Reads, and writes that are not part of a Batch, are divided by subject. A package that uses the store declares the few methods that it
// calls, whatever their subjects.
type Store interface {
	// Write applies a batch: all of it or nothing. The engine calls it for every transition, the bot for everything else.
	// Errors: ErrConflict (run, draft or schedule version; a trigger of another flow), *KeyTakenError (a new run's key), ErrDone (a
	// delivery), ErrStarted (a trigger's event).
	Write(ctx context.Context, b *Batch) error

	Runs
	Gates
	Timers
	Leases
	Flows
	Triggers
	Deliveries
	Surfaces
	AuditLog
	Tokens
	Agents
	Usage
	Removals

	// Lock keeps other processes from writing a run until its Locked has written or is released, or for a few seconds at most. It is for a
	// caller whose compare-and-set has failed several times. Load the run after it; it may be gone. An error: the lock was not free within a few
	// seconds; writing without it is as safe.
	Lock(ctx context.Context, run string) (Locked, error)
	// Serve takes the exclusive right to serve this store for the life of the process (a file lock beside the SQLite file; an
	// advisory lock on a connection of its own on Postgres). ErrLocked names the holder. lost is closed when the right is lost.
	Serve(ctx context.Context, holder string) (release func() error, lost <-chan struct{}, err error)
	// Close ends the store.
	Close() error
}

// Runs are the runs with their facts, and the queues of their keys.
type Runs interface {
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
	// LiveRunsBy counts the live runs that a person asked for, without those that a subflow node started.
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
	// QueueEntries lists entries of key queues, in order of runs; Batch.LeaveQueue takes them away.
	QueueEntries(ctx context.Context, q QueueQuery) ([]QueueEntry, error)
}

// Gates are the questions to people.
type Gates interface {
	// Gate loads a gate by id ("run-id/number").
	Gate(ctx context.Context, id string) (Gate, error)
	// Gates lists gates, newest first.
	Gates(ctx context.Context, q GateQuery) ([]Gate, error)
	// OpenAsked counts the open gates by the people that they are for (Gate.Asked).
	OpenAsked(ctx context.Context) ([]AskedCount, error)
}

// Timers are the due rows of runs, timers and signals, and the events that runs wait for.
type Timers interface {
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
}

// Leases say which worker has which token. The processes of the workers belong to them, and the roles that processes take in turns.
type Leases interface {
	// Claim takes an unheld lease for a worker. False: another worker holds it, or the epoch is over.
	Claim(ctx context.Context, run string, token, epoch int, worker string, now time.Time) (bool, error)
	// Leases lists the leases of all runs: at start every live token is dispatched again from here.
	Leases(ctx context.Context) ([]Lease, error)
	// HeldBy lists the leases that these workers hold.
	HeldBy(ctx context.Context, workers []string) ([]Lease, error)
	// Unclaimed lists unheld leases for which no worker will be woken up: without a Queue all unheld ones, with one those whose job
	// is missing or over.
	Unclaimed(ctx context.Context, limit int) ([]Lease, error)
	// Redispatch puts a job for an unheld lease into the Queue, instead of l.JobID. False: the lease was claimed, replaced or
	// dispatched again meanwhile, or there is no Queue.
	Redispatch(ctx context.Context, l Lease) (bool, error)

	// Beat says that a process is alive, and returns what it has to know.
	Beat(ctx context.Context, process string, now time.Time) (Pulse, error)
	// EndDead ends what dead processes have left, their leases excepted: their roles, their jobs in the Queue, their counters.
	EndDead(ctx context.Context, processes []string) error
	// Elect takes or renews a named role for holder until now+ttl. False: another process has it.
	Elect(ctx context.Context, role, holder string, now time.Time, ttl time.Duration) (bool, error)
	// Resign gives a named role up. Nothing happens when another process has it.
	Resign(ctx context.Context, role, holder string) error
}

// Flows are the flows with their revisions and pauses, and the drafts of revisions.
type Flows interface {
	// Flow loads a flow's head row.
	Flow(ctx context.Context, name string) (Flow, error)
	// Flows lists all flows by name.
	Flows(ctx context.Context) ([]Flow, error)
	// Revision loads one revision; number 0 means the newest of a flow that is not retired, else ErrNotFound.
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
	// OldDrafts lists drafts that were made before a time and are not approved, the oldest first.
	OldDrafts(ctx context.Context, before time.Time, limit int) ([]Draft, error)
	// DraftsAfter lists drafts of every status with an id after this one, by id.
	DraftsAfter(ctx context.Context, id string, limit int) ([]Draft, error)
}

// Triggers are what starts runs: schedules, and triggers that listen.
type Triggers interface {
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
}

// Deliveries are what Slack and others delivered, in the order of arrival.
type Deliveries interface {
	// PutInbox stores what Slack delivered. False: the dedupe key is known already.
	PutInbox(ctx context.Context, m Inbox) (fresh bool, err error)
	// PutInboxes stores several deliveries in their order: all of them whose dedupe keys are not known already, or none.
	PutInboxes(ctx context.Context, list []Inbox) error
	// PendingInbox lists rows that are not done, in order of arrival, with ID > after.
	PendingInbox(ctx context.Context, after int64, limit int) ([]Inbox, error)
	// PendingInThread lists a thread's rows that are not done, in order of arrival.
	PendingInThread(ctx context.Context, thread string, limit int) ([]Inbox, error)
	// RemoveInbox takes up to limit done deliveries away that were received before a time, and says how many. Their dedupe keys go
	// with them.
	RemoveInbox(ctx context.Context, before time.Time, limit int) (int, error)
	// Probe stores something and removes it again, in one transaction. Nil means that the database takes what is to be stored; ErrFull and
	// ErrUnavailable say why it does not.
	Probe(ctx context.Context) error
}

// Surfaces are the messages, modals and Home tabs that show state.
type Surfaces interface {
	// Surface loads a surface by id.
	Surface(ctx context.Context, id string) (Surface, error)
	// SurfaceAt finds the surface behind a message.
	SurfaceAt(ctx context.Context, channel, ts string) (Surface, error)
	// SurfacesOf lists the surfaces that show a reference, such as "run:ID".
	SurfacesOf(ctx context.Context, ref string) ([]Surface, error)
	// SurfacesOfKind lists up to limit surfaces of a kind, the newest first.
	SurfacesOfKind(ctx context.Context, kind string, limit int) ([]Surface, error)
	// StaleSurfaces lists surfaces with Wanted > Shown that are due (RetryAt not after now): of each kind, user and channel up to limit,
	// those that are stale for longest first. So the surfaces of one owner do not keep those of another out of the list.
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
	// SaveSurface stores what was sent: place, ts, body, Shown, hash, file, retry time, tries, what it is blocked by, whether it is
	// set aside, and the notes of its delivery. It never lowers Wanted, and keeps SurfaceDeleted where the same message was marked so meanwhile.
	// ErrNotFound: there is no such surface.
	SaveSurface(ctx context.Context, s Surface) error
	// RemoveSurfaces takes up to limit surfaces of a kind away that were made before a time and are not stale, and says how many.
	RemoveSurfaces(ctx context.Context, kind string, before time.Time, limit int) (int, error)
}

// AuditLog is what people did outside runs.
type AuditLog interface {
	// Audit lists audit rows of a reference, newest first; ref "" = all.
	Audit(ctx context.Context, ref string, limit int) ([]Audit, error)
	// AuditPage lists a page of audit rows, newest first.
	AuditPage(ctx context.Context, q AuditQuery) ([]Audit, error)
	// ForgetReasons removes the details of up to limit of a person's audit rows about pauses, where their reasons stand, and says how many.
	ForgetReasons(ctx context.Context, user string, limit int) (int, error)
}

// Agents are those of the installation that were added by command.
type Agents interface {
	// Agents lists all agents by id.
	Agents(ctx context.Context) ([]Agent, error)
}

// Tokens are what programs ask by HTTP with.
type Tokens interface {
	// TokenByHash loads a token, also one that is revoked or has expired.
	TokenByHash(ctx context.Context, hash []byte) (Token, error)
	// Tokens lists all tokens by person and id.
	Tokens(ctx context.Context) ([]Token, error)
	// RemoveTokens takes the tokens of a person away, and says how many.
	RemoveTokens(ctx context.Context, user string) (int, error)
}

// Usage is what models cost, by flow and by person.
type Usage interface {
	// Spent gives what the runs of a flow have spent on models in a month, in USD.
	Spent(ctx context.Context, flow, month string) (float64, error)
	// Used gives what a person has used of a model provider in a day.
	Used(ctx context.Context, person, day, provider string) (ModelUse, error)
	// RemoveSpend takes what flows spent in months before this one away, up to limit rows, and says how many.
	RemoveSpend(ctx context.Context, before string, limit int) (int, error)
	// RemoveUse takes what people used of models before this day away, up to limit rows, and says how many.
	RemoveUse(ctx context.Context, before string, limit int) (int, error)
}

// Removals take runs and drafts away, and keep the trails of runs.
type Removals interface {
	// Removable lists final runs that nothing refers to any more, those that ended first first. It gives no states.
	Removable(ctx context.Context, q RemovalQuery) ([]Run, error)
	// Remove takes a run or drafts away and keeps the run's trail: all of it or nothing. The facts of a run and their blobs stay until
	// RemoveFacts takes them. ErrConflict: the run has changed since it was listed, or is gone.
	Remove(ctx context.Context, r Removal) error
	// RemoveFacts takes up to limit facts of a removed run away, with the blobs that only they refer to, and says how many; 0 = there
	// are none left.
	RemoveFacts(ctx context.Context, limit int) (int, error)
	// RemovedRun loads what is left of a removed run by its id: no title, no key, no state.
	RemovedRun(ctx context.Context, id string) (Run, error)
	// RemovedRunByName is RemovedRun by the short name.
	RemovedRunByName(ctx context.Context, name string) (Run, error)
	// Trail lists the facts that were kept of a removed run, in order.
	Trail(ctx context.Context, run string) ([]Fact, error)

	// CountOld says how much there is that RemoveInbox, OldDrafts with Remove, RemoveSurfaces and RemoveSpend would take away.
	CountOld(ctx context.Context, q OldQuery) (Old, error)
	// Compact frees the space of what was removed, so that nothing of it can be read in the database's files any more; where processes
	// share the database, it is the database's own matter.
	Compact(ctx context.Context) error
}
