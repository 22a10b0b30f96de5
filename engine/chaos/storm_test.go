package chaos_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm/llmtest"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "seed of the storms; 0 = the moment")
	runsFlag  = flag.Int("runs", 0, "runs in a storm; 0 = as the storm says")
	stormFlag = flag.String("storm", "", "the only storm to have")
)

// scenario is the description of a storm.
type scenario struct {
	name      string
	sqlite    bool
	workers   int // at the same time
	runs      int
	live      int    // runs at the same time
	generated int    // generated flows in the mix
	only      string // the only flow whose runs are started; empty = all of the mix
	// Each worker gets the next of the failpoints. When they are used up, nextFailpoint makes more; nil = later workers have none.
	failpoints    []*failpoint
	nextFailpoint func(r *rand.Rand) *failpoint
	// faults come one after the other, with pauses between; again begins anew as long as there are runs.
	faults []fault
	again  bool
	pause  time.Duration // at most
	limit  time.Duration // of the whole storm
}

// fault makes a fault from outside.
type fault func(s *storm)

// storm is one execution of a scenario: workers and runs, with faults around them.
type storm struct {
	testing.TB
	scenario
	seed    uint64
	ctx     context.Context
	store   storage.Store // the test's own connection
	server  *pgtest.Server
	proxy   *pgtest.Proxy
	path    string
	outside *outside
	model   *llmtest.Server
	oracle  *oracle
	tools   *tool.Set
	begun   time.Time

	mu             sync.Mutex
	r              *rand.Rand
	serving        []*worker
	workersStarted int
	mustReach      int // failpoints that must be reached, and how many were
	reached        int
	over           bool
	outages        int // how often the database failed
	outageTimes    []time.Time
	deathTimes     []time.Time // when workers died, or froze
	latest         time.Time   // the schedule's last fire
	started        map[string]*begunRun
	held           []span                 // guarded by mu until the storm is over
	forkTimes      []moment               // guarded by mu until the storm is over
	forks          map[string]string      // ids by "origin/number"; the judge's
	rows           map[string]storage.Run // without their states; the judge's
	notes          []string
	figures        figures
}

// begunRun is a run that a storm has started.
type begunRun struct {
	testFlow
	key         string
	expectation *expectation
	cancelled   bool // a worker said so
	abandoned   bool // a person cancelled it, or its parent no longer waits for it
}

func newStorm(t testing.TB, p scenario) *storm {
	t.Helper()
	if *runsFlag > 0 {
		p.runs = *runsFlag
	}
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	s := &storm{
		TB: t, scenario: p, mustReach: len(p.failpoints), seed: seed, begun: time.Now(), r: rand.New(rand.NewPCG(seed, 3)), started: map[string]*begunRun{},
		outside: newOutside(t), model: newModel(t),
	}
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithTimeout(t.Context(), p.limit)
	t.Cleanup(cancel)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("play it again with: -run '^%s$' -seed %d\n%s", t.Name(), seed, strings.Join(s.notes, "\n"))
		}
	})
	s.open()
	var err error
	if s.tools, err = outsideTools(s.outside.URL, func(t tool.Tool) tool.Tool { return t }); err != nil {
		t.Fatal(err)
	}
	s.oracle = &oracle{host: s.outside.host(), tools: s.tools, testFlows: map[string]testFlow{}}
	return s
}

// open makes the store. The workers reach a Postgres through a proxy that can be cut; the test itself does not.
func (s *storm) open() {
	s.Helper()
	var err error
	if s.sqlite {
		s.path = filepath.Join(s.TempDir(), "sluice.db")
		s.store, err = sqlite.Open(s.ctx, s.path)
	} else {
		s.server = pgtest.NewServer(s)
		s.proxy = pgtest.NewProxy(s, s.server.URL)
		s.store, err = postgres.Open(s.ctx, s.server.URL, queueOfStore())
	}
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = s.store.Close() })
}

// note writes a line into the storm's log, which a failed test prints.
func (s *storm) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, fmt.Sprintf("%8.3f ", time.Since(s.begun).Seconds())+fmt.Sprintf(format, args...))
}

// query repeats a query for as long as the database fails.
func (s *storm) query(what string, look func(ctx context.Context) error) bool {
	for {
		ctx, cancel := context.WithTimeout(s.ctx, 5*time.Second)
		err := look(ctx)
		cancel()
		switch {
		case err == nil:
			return true
		case s.ctx.Err() != nil:
			s.Errorf("%s: no answer before the storm's limit: %v", what, err)
			return false
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// perform starts workers, runs and faults, and returns when every run has ended.
func (s *storm) perform() {
	s.Helper()
	testFlows := s.prepare()
	for range s.workers {
		s.startWorker()
	}
	var wg sync.WaitGroup
	quiet, over := context.WithCancel(s.ctx)
	wg.Go(func() { s.answerGates(quiet) })
	wg.Go(func() { s.fault(quiet) })
	wg.Go(func() { s.interfere(quiet) })
	s.startRuns(testFlows)
	s.pauseSchedule()
	s.awaitEnd()
	over()
	wg.Wait()
	s.stopWorkers()
	s.figures.took = time.Since(s.begun)
}

// prepare stores the flows of the mix.
func (s *storm) prepare() []testFlow {
	s.Helper()
	testFlows := mixed(s, s.tools)
	for _, p := range testFlows {
		s.oracle.testFlows[p.Name] = p
	}
	for _, p := range testFlows {
		if _, err := s.oracle.expect(p, inputsOf(p, "trial", 0)); err != nil {
			s.Fatalf("the outcome of %s cannot be computed: %v", p.Name, err)
		}
	}
	testFlows = append(testFlows, generated(s, s.seed, s.generated, s.tools, func(p testFlow) (*expectation, error) {
		return s.oracle.expect(p, inputsOf(p, "trial", 0))
	})...)
	eng := engine.New(engine.Config{Store: s.store, Tools: s.tools})
	for _, p := range testFlows {
		lock, err := eng.Lock(s.ctx, p.Flow)
		if err != nil {
			s.Fatal(err)
		}
		raw, err := json.Marshal(lock)
		if err == nil {
			err = s.store.Write(s.ctx, &storage.Batch{
				Flow: &storage.Flow{Name: p.Name, Head: 1},
				Revision: &storage.Revision{
					Flow: p.Name, Number: 1, Hash: flow.Hash(p.Flow), LockHash: flow.ApprovalHash(p.Flow, lock), Body: flow.Canonical(p.Flow), Lock: raw,
				},
			})
		}
		if err != nil {
			s.Fatal(err)
		}
	}
	s.addSchedule(eng)
	if s.only != "" {
		testFlows = []testFlow{s.oracle.testFlows[s.only]}
	}
	s.r.Shuffle(len(testFlows), func(i, j int) { testFlows[i], testFlows[j] = testFlows[j], testFlows[i] })
	return testFlows
}

// inputsOf are the inputs of a run.
func inputsOf(p testFlow, key string, n int) map[string]any {
	in := map[string]any{"key": key}
	if p.seed != 0 {
		in["n"], in["s"] = float64(n%10), "secret word"
	}
	return in
}

// startRuns starts the runs, a limited number at a time, until every failpoint was reached.
func (s *storm) startRuns(testFlows []testFlow) {
	s.Helper()
	var cancels sync.WaitGroup
	defer cancels.Wait()
	for n := 0; s.ctx.Err() == nil && (n < s.runs || !s.allReached()); n++ {
		s.awaitSlot()
		if n%12 == 11 {
			s.fork()
		}
		p := testFlows[n%len(testFlows)]
		many := 1
		if p.Name == queued {
			many = queuedMost
		}
		for i := range many {
			if !s.startOne(p, fmt.Sprint(p.Name, "-", n, "abc"[i:i+1]), n, &cancels) {
				return
			}
		}
	}
	if !s.allReached() {
		s.Errorf("%d of %d failpoints were reached", s.reached, s.mustReach)
	}
}

// startOne starts a run, and cancels it later if its key says so. false: the storm is over.
func (s *storm) startOne(p testFlow, key string, n int, cancels *sync.WaitGroup) bool {
	s.Helper()
	in := inputsOf(p, key, n)
	c, err := s.oracle.expect(p, in)
	if err != nil {
		return true // with these inputs it has no single outcome
	}
	var made engine.Started
	if !s.tell("/start", start{p.Name, in}, &made) {
		return false
	}
	if old := s.started[made.Run.ID]; old != nil {
		s.Errorf("run %s was started for %s and for %s", made.Run.ID, old.key, key)
	}
	s.mu.Lock()
	s.started[made.Run.ID] = &begunRun{testFlow: p, key: key, expectation: c}
	s.mu.Unlock()
	if cancelled(key) {
		s.cancelSoon(cancels, made.Run.ID)
	}
	return true
}

func (s *storm) allReached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reached >= s.mustReach
}

// alive counts the runs that have not ended.
func (s *storm) alive() (n int) {
	if !s.query("count runs", func(ctx context.Context) error {
		live, err := s.store.Runs(ctx, storage.RunQuery{Live: true, Limit: 10_000})
		n = len(live)
		return err
	}) {
		return 0
	}
	return n
}

// due reports whether timers or signals are stored.
func (s *storm) due() (due bool) {
	s.query("look for what is due", func(ctx context.Context) error {
		next, err := s.store.NextDue(ctx)
		due = !next.IsZero()
		return err
	})
	return due
}

func (s *storm) awaitSlot() {
	for s.alive() >= s.live && s.ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
}

// unfinished counts the runs that can still move. A failed run has ended, but a person's answer lets it go on: only one query for all runs
// proves that none will.
func (s *storm) unfinished() (n int) {
	s.query("list the runs", func(ctx context.Context) error {
		all, err := s.store.Runs(ctx, storage.RunQuery{Limit: 100_000})
		n = 0
		for _, r := range all {
			if !history.Status(r.Status).Final() {
				n++
			}
		}
		return err
	})
	return n
}

// awaitEnd waits until every run has ended and every signal is delivered.
func (s *storm) awaitEnd() {
	s.Helper()
	for (s.unfinished() > 0 || s.due()) && s.ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond)
	}
	if s.ctx.Err() != nil {
		s.Errorf("the storm did not end within %v", s.limit)
	}
}

// fault makes the faults, one after the other.
func (s *storm) fault(ctx context.Context) {
	for i := 0; len(s.faults) > 0 && (i < len(s.faults) || s.again); i++ {
		s.mu.Lock()
		pause := s.pause/4 + time.Duration(s.r.Int64N(int64(s.pause*3/4)))
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		s.faults[i%len(s.faults)](s)
	}
}

// kill kills a worker at a random moment.
func kill(s *storm) {
	if w := s.anyWorker(); w != nil {
		s.note("%s is killed", w.Name)
		w.killed.Store(true)
		_ = w.cmd.Process.Signal(syscall.SIGKILL)
	}
}

// stop stops the server on the spot and starts it again after a moment.
func stop(s *storm) {
	s.markOutage()
	s.note("the server is stopped")
	s.server.Stop()
	time.Sleep(s.upTo(3 * time.Second))
	s.server.Start()
	s.note("the server is back")
	s.figures.add(&s.mu, &s.figures.stops)
	s.markOutage()
}

// cut breaks the connection to the database for a while; sometimes for longer than the sweep needs to declare a process dead.
func cut(s *storm) {
	s.markOutage()
	pause := s.upTo(2 * time.Second)
	if s.upTo(4*time.Second) > 3*time.Second {
		pause += 7 * time.Second
	}
	s.note("the database connection is broken for %v", pause)
	s.proxy.Cut()
	time.Sleep(pause)
	s.proxy.Mend()
	s.figures.add(&s.mu, &s.figures.cuts)
	s.markOutage()
}

// blink breaks the connection and restores it at once: it leaves commits whose outcome is not known.
func blink(s *storm) {
	s.markOutage()
	s.note("the database connection is broken and restored")
	s.proxy.Cut()
	s.proxy.Mend()
	s.figures.add(&s.mu, &s.figures.cuts)
	s.markOutage()
}

// markOutage records that the database fails or is back: measurements around it do not count.
func (s *storm) markOutage() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outages++
	s.outageTimes = append(s.outageTimes, time.Now())
}

// settling is how long a process needs to work as usual after an outage of the database.
const settling = 2 * time.Second

// outageBetween reports whether the database failed between two times. Each outage is marked at its beginning and its end.
func (s *storm) outageBetween(from, to time.Time) bool {
	for i := 0; i+1 < len(s.outageTimes); i += 2 {
		if s.outageTimes[i].Before(to) && s.outageTimes[i+1].Add(settling).After(from) {
			return true
		}
	}
	return false
}

func (s *storm) upTo(d time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Duration(s.r.Int64N(int64(d)))
}

// anyWorker is a random worker that is not frozen, or nil.
func (s *storm) anyWorker() *worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	awake := slices.DeleteFunc(slices.Clone(s.serving), func(w *worker) bool { return w.frozen.Load() })
	if len(awake) == 0 {
		return nil
	}
	return awake[s.r.IntN(len(awake))]
}
