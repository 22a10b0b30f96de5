package runner

// Position names a moment at which Config.Hook is called. Crashes at two positions leave different things stored or done.
//
// Every transition of a run passes AtBeforeCommit and AtAfterCommit, whatever it is about: a start by a person, a schedule, a trigger, a
// parent or a fork, a step, a signal, a hold, a gate, a move to another revision, an end. What is stored without a run (events and their
// signals, pauses, key queues, schedules) is one write like those, and so is a removal: a crash leaves all of it or nothing. Until the write is
// stored, the due row that asked for it stays, or the person who asked gets no answer. engine/chaos kills before and after each kind of write by
// a store that it wraps.
type Position = string

// The positions, in the order in which a step passes them.
const (
	AtClaimed      Position = "claimed"       // a worker has a token's lease; its run does not know yet
	AtBeforeCommit Position = "before_commit" // a transition is decided
	AtAfterCommit  Position = "after_commit"  // a transition is stored; its effects have not begun
	AtBeforeAct    Position = "before_act"    // a step's intent is stored; whether this process may act has not been checked
	AtActing       Position = "acting"        // this process may act; the first byte has not been sent
	AtBeforeCall   Position = "before_call"   // as before_act, of a call inside a step
	AtAfterCall    Position = "after_call"    // a call inside a step was made; its outcome is not stored
	AtAfterAct     Position = "after_act"     // a step was performed; its outcome is not stored
	AtDue          Position = "due"           // a timer was claimed; its run does not know yet
)
