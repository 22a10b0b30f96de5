package storagetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/storage"
)

// Open opens an empty store for one test and closes it when the test ends.
type Open func(t *testing.T) storage.Store

// cases are the suite, in the order of the contract.
var cases = []struct {
	name string
	test func(t *testing.T, s storage.Store)
}{
	{"a new run is stored whole", runRoundTrip},
	{"a transition compares and sets the version", runVersion},
	{"only one of many transitions at a version succeeds", runRace},
	{"a run is made once", runTwice},
	{"what never changes is not written again", runFixedColumns},
	{"runs are listed newest first", runList},
	{"live runs of a person are counted", liveRunsBy},
	{"nothing of a refused batch is stored", allOrNothing},
	{"a cancelled write stores nothing", cancelledWrite},
	{"an empty batch is nothing", emptyBatch},
	{"facts come back in order", factOrder},
	{"facts must follow on", factGaps},
	{"big bodies come back whole", bigBodies},
	{"many facts in one batch", manyFacts},
	{"a run begins with facts of another one", copiedFacts},
	{"run numbers are unique", runNumbers},
	{"a key is taken once", keyOnce},
	{"a key is taken once by many at a time", keyRace},
	{"a key is free again before its window", keyWindow},
	{"a run may start beside the holder of its key", keyBeside},
	{"runs with a key are queued", keyQueue},
	{"many that join a line stand one behind the other", keyQueueRace},
	{"a place in line goes when all before it are over", queueEntries},
	{"what was spent adds up", spend},
	{"what a person used of models adds up", modelUse},
	{"months that are long gone are removed", oldSpending},
	{"a token is found by its hash", tokens},
	{"a lease is claimed once", leaseClaim},
	{"a lease is claimed once by many at a time", leaseRace},
	{"leases are replaced and deleted", leaseReplace},
	{"a process beats and learns who else does", heartbeats},
	{"what dead processes had is ended, besides their leases", endDead},
	{"claims on timers end with their workers", freedTimers},
	{"unheld leases are found", unclaimedLeases},
	{"timers are handed out when due and again when forgotten", timerClaims},
	{"a timer goes to one of many pollers", timerRace},
	{"a forgotten timer goes to one of many pollers, each time", timerForgotten},
	{"timers are replaced and deleted", timerReplace},
	{"what is due next", nextDue},
	{"a signal is written once and handed out like a timer", signals},
	{"a signal is taken once by many at a time", signalRace},
	{"an event is stored once and found by its name", events},
	{"an event is spread to those who wait for it", fanOut},
	{"an event and a wait that cross each other meet", eventCrossing},
	{"old events are forgotten", forgetEvents},
	{"gates are put, replaced and listed", gateLists},
	{"flows and revisions", flowRevisions},
	{"a flow that is retired", flowRetired},
	{"agents are put, changed and deleted", agents},
	{"flows are paused and go on", pauses},
	{"live runs are listed page by page", liveRuns},
	{"a revision is found by its hash", revisionByHash},
	{"a revision is stored once", revisionOnce},
	{"drafts compare and set their version", draftVersion},
	{"all drafts of a batch or none", draftsTogether},
	{"schedules compare and set their version", scheduleVersion},
	{"a fire happens once", scheduleFire},
	{"schedules that are due", schedulesDue},
	{"a kept fire waits for the end of the run before", keptFires},
	{"triggers follow their flow", triggers},
	{"two flows cannot have the same trigger", triggerTaken},
	{"an event starts one run of a flow", triggerStarts},
	{"an event starts one run of many at a time", triggerStartRace},
	{"a delivery is stored once", inboxOnce},
	{"a probe leaves nothing behind", probe},
	{"reasons are forgotten", reasons},
	{"a delivery has one effect", inboxEffectOnce},
	{"pending deliveries come in order", inboxOrder},
	{"deliveries come in order from many at a time", inboxRace},
	{"pending deliveries of a thread", inboxThread},
	{"a surface is inserted once", surfaceOnce},
	{"a stale surface is listed until it is shown", surfaceStale},
	{"a surface waits for its retry", surfaceRetry},
	{"those that are stale for longest come first", surfaceFairness},
	{"nobody's surfaces keep another one's out", surfaceShares},
	{"a surface that could not be shown keeps its place", surfaceFailed},
	{"blocked surfaces wait for their cause to be over", surfaceBlocked},
	{"a surface whose message changed outside is stale", surfaceMarked},
	{"surfaces that were set aside are tried by a new release", surfaceAside},
	{"writes that mark the same surfaces all succeed", surfaceCrossing},
	{"a surface is found by its message", surfaceAt},
	{"audit rows", auditRows},
	{"runs that may be removed", removableRuns},
	{"a run is removed and leaves its trail", removal},
	{"a run is removed once, as it was listed", removalRace},
	{"facts of removed runs go in batches", removedFacts},
	{"a body that is removed can be stored meanwhile", removedFactsRace},
	{"old deliveries", oldDeliveries},
	{"old drafts and surfaces", oldDraftsAndSurfaces},
	{"a role has one holder at a time", elections},
	{"a role is given up by its holder alone", resignation},
	{"one process serves", serveOnce},
	{"many runs at a time", manyRuns},
	{"times and odd values survive", oddValues},
}

// Run runs the suite against the stores that open makes.
func Run(t *testing.T, open func(t *testing.T) storage.Store) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, open(t))
		})
	}
}

// start is a time with more digits than a store keeps.
var start = time.Date(2026, 3, 29, 1, 30, 0, 123456789, time.FixedZone("somewhere", 2*3600))

// stored is a time as it comes back: microseconds in UTC.
func stored(t time.Time) time.Time { return t.Truncate(time.Microsecond).UTC() }

func newRun(n int) storage.Run {
	return storage.Run{
		ID: fmt.Sprintf("run%04d", n), Flow: "refund", Revision: 1, Number: n, Name: fmt.Sprintf("refund-%d", n), Title: "Refund",
		Status: "running", Channel: "C1", Thread: "17.1", By: "U1", Started: start.Add(time.Duration(n) * time.Second),
		State: []byte(`{"tokens":[1]}`),
	}
}

func newFacts(from, n int) []storage.Fact {
	list := make([]storage.Fact, n)
	for i := range list {
		seq := from + i
		list[i] = storage.Fact{
			Seq: int64(seq), Kind: "step_finished", Version: 1, At: start, Actor: []byte(`{"user":"U1"}`), Token: 1,
			Node: fmt.Sprintf("node%d", seq), Step: seq, Body: fmt.Appendf(nil, `{"n":%d}`, seq),
		}
	}
	return list
}

// write writes a batch that has to succeed.
func write(t *testing.T, s storage.Store, b *storage.Batch) {
	t.Helper()
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatalf("write: %v", err)
	}
}

// created stores run n with one fact and returns it as stored.
func created(t *testing.T, s storage.Store, n int) storage.Run {
	t.Helper()
	r := newRun(n)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: newFacts(1, 1)}})
	return must(s.Run(t.Context(), r.ID))(t)
}

// must fails the test on an error: must(f())(t).
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// oneWins has n callers do the same at once: one succeeds, and each of the others gets the error lost.
func oneWins(t *testing.T, n int, lost error, do func(n int) error) {
	t.Helper()
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			switch err := do(i); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, lost):
				t.Errorf("a loser got %v", err)
			}
		})
	}
	wg.Wait()
	same(t, "winners", won.Load(), int32(1))
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// ids lists one property of rows.
func ids[T, K any](rows []T, id func(T) K) []K {
	list := make([]K, len(rows))
	for i, r := range rows {
		list[i] = id(r)
	}
	return list
}
