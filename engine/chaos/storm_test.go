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

// scenario is what a storm is made of.
type scenario struct {
	name      string
	sqlite    bool
	workers   int // at the same time
	runs      int
	live      int    // runs at the same time
	generated int    // generated flows in the mix
	only      string // the only flow whose runs are started; empty = all of the mix
	// fates are met by the workers in this order, one each. When they are over, destiny makes more; nil = nothing befalls them.
	fates   []*fate
	destiny func(r *rand.Rand) *fate
	// faults come one after the other, with pauses between; again begins anew as long as there are runs.
	faults []fault
	again  bool
	pause  time.Duration // at most
	limit  time.Duration // of the whole storm
}

// fault is a fault from outside.
type fault func(s *storm)

// storm is one storm.
type storm struct {
	testing.TB
	scenario
	seed    uint64
	ctx     context.Context
	store   storage.Store // the test's own look at it
	server  *pgtest.Server
	proxy   *pgtest.Proxy
	path    string
	outside *outside
	model   *llmtest.Server
	oracle  *oracle
	tools   *tool.Set
	begun   time.Time

	mu        sync.Mutex
	r         *rand.Rand
	staff     []*worker
	hired     int
	must      int // fates that must be met, and how many were
	met       int
	over      bool
	shaken    int // how often the database failed
	shakes    []time.Time
	fallen    []time.Time // when workers died, or froze
	latest    time.Time   // the schedule's last fire
	started   map[string]*begunRun
	held      []span                 // guarded by mu until the storm is over
	forkTimes []moment               // guarded by mu until the storm is over
	forks     map[string]string      // ids by "origin/number"; the judge's
	rows      map[string]storage.Run // without their states; the judge's
	diary     []string
	figures   figures
}

// begunRun is a run that a storm has started.
type begunRun struct {
	plot
	key       string
	forecast  *forecast
	cancelled bool // a worker said so
	abandoned bool // somebody cancelled it, or it is a subflow that its parent did not wait for any more
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
		TB: t, scenario: p, must: len(p.fates), seed: seed, begun: time.Now(), r: rand.New(rand.NewPCG(seed, 3)), started: map[string]*begunRun{},
		outside: newOutside(t), model: newModel(t),
	}
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithTimeout(t.Context(), p.limit)
	t.Cleanup(cancel)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("play it again with: -run '^%s$' -seed %d\n%s", t.Name(), seed, strings.Join(s.diary, "\n"))
		}
	})
	s.open()
	var err error
	if s.tools, err = outsideTools(s.outside.URL, func(t tool.Tool) tool.Tool { return t }); err != nil {
		t.Fatal(err)
	}
	s.oracle = &oracle{host: s.outside.host(), tools: s.tools, plots: map[string]plot{}}
	return s
}

// open makes the store. The workers reach a Postgres through a line that can be cut; the test itself does not.
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

// note writes into the storm's diary.
func (s *storm) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.diary = append(s.diary, fmt.Sprintf("%8.3f ", time.Since(s.begun).Seconds())+fmt.Sprintf(format, args...))
}

// ask repeats a look at the store for as long as the database fails.
func (s *storm) ask(what string, look func(ctx context.Context) error) bool {
	for {
		ctx, cancel := context.WithTimeout(s.ctx, 5*time.Second)
		err := look(ctx)
		cancel()
		switch {
		case err == nil:
			return true
		case s.ctx.Err() != nil:
			s.Errorf("%s: in vain: %v", what, err)
			return false
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// rage lets the storm happen, and returns when every run has come to its end.
func (s *storm) rage() {
	s.Helper()
	plots := s.prepare()
	for range s.workers {
		s.hire()
	}
	var wg sync.WaitGroup
	quiet, over := context.WithCancel(s.ctx)
	wg.Go(func() { s.answerGates(quiet) })
	wg.Go(func() { s.fault(quiet) })
	wg.Go(func() { s.meddle(quiet) })
	s.startRuns(plots)
	s.stopClock()
	s.untilEnded()
	over()
	wg.Wait()
	s.dismiss()
	s.figures.took = time.Since(s.begun)
}

// prepare stores the flows of the mix.
func (s *storm) prepare() []plot {
	s.Helper()
	plots := mixed(s, s.tools)
	for _, p := range plots {
		s.oracle.plots[p.Name] = p
	}
	for _, p := range plots {
		if _, err := s.oracle.foresee(p, inputsOf(p, "trial", 0)); err != nil {
			s.Fatalf("what %s comes to cannot be foreseen: %v", p.Name, err)
		}
	}
	plots = append(plots, generated(s, s.seed, s.generated, s.tools, func(p plot) (*forecast, error) {
		return s.oracle.foresee(p, inputsOf(p, "trial", 0))
	})...)
	clerk := engine.New(engine.Config{Store: s.store, Tools: s.tools})
	for _, p := range plots {
		lock, err := clerk.Lock(s.ctx, p.Flow)
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
	s.setClock(clerk)
	if s.only != "" {
		plots = []plot{s.oracle.plots[s.only]}
	}
	s.r.Shuffle(len(plots), func(i, j int) { plots[i], plots[j] = plots[j], plots[i] })
	return plots
}

// inputsOf are those of a run.
func inputsOf(p plot, key string, n int) map[string]any {
	in := map[string]any{"key": key}
	if p.seed != 0 {
		in["n"], in["s"] = float64(n%10), "secret word"
	}
	return in
}

// startRuns starts the runs, so many at a time, and goes on until every fate was met.
func (s *storm) startRuns(plots []plot) {
	s.Helper()
	var cancels sync.WaitGroup
	defer cancels.Wait()
	for n := 0; s.ctx.Err() == nil && (n < s.runs || !s.fulfilled()); n++ {
		s.untilFewer()
		if n%12 == 11 {
			s.fork()
		}
		p := plots[n%len(plots)]
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
	if !s.fulfilled() {
		s.Errorf("%d of %d fates were met", s.met, s.must)
	}
}

// startOne starts a run, and sees to it that it is cancelled if it is to be. false: the storm is over.
func (s *storm) startOne(p plot, key string, n int, cancels *sync.WaitGroup) bool {
	s.Helper()
	in := inputsOf(p, key, n)
	c, err := s.oracle.foresee(p, in)
	if err != nil {
		return true // with these inputs it comes to different ends
	}
	var made engine.Started
	if !s.tell("/start", start{p.Name, in}, &made) {
		return false
	}
	if old := s.started[made.Run.ID]; old != nil {
		s.Errorf("run %s was started for %s and for %s", made.Run.ID, old.key, key)
	}
	s.mu.Lock()
	s.started[made.Run.ID] = &begunRun{plot: p, key: key, forecast: c}
	s.mu.Unlock()
	if cancelled(key) {
		s.cancelSoon(cancels, made.Run.ID)
	}
	return true
}

func (s *storm) fulfilled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.met >= s.must
}

// alive counts the runs that have not ended.
func (s *storm) alive() (n int) {
	if !s.ask("count runs", func(ctx context.Context) error {
		live, err := s.store.Runs(ctx, storage.RunQuery{Live: true, Limit: 10_000})
		n = len(live)
		return err
	}) {
		return 0
	}
	return n
}

// due reports whether there are timers or signals.
func (s *storm) due() (due bool) {
	s.ask("look for what is due", func(ctx context.Context) error {
		next, err := s.store.NextDue(ctx)
		due = !next.IsZero()
		return err
	})
	return due
}

func (s *storm) untilFewer() {
	for s.alive() >= s.live && s.ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
}

// unfinished counts the runs that can still move. One that has failed has ended, but people are asked what to do about it: only a look at
// all of them at the same moment tells that nobody will go on.
func (s *storm) unfinished() (n int) {
	s.ask("list the runs", func(ctx context.Context) error {
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

// untilEnded waits for the end of every run, and of what runs have told each other.
func (s *storm) untilEnded() {
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
	if w := s.somebody(); w != nil {
		s.note("%s is killed", w.Name)
		w.killed.Store(true)
		_ = w.cmd.Process.Signal(syscall.SIGKILL)
	}
}

// stop stops the server on the spot and starts it again after a moment.
func stop(s *storm) {
	s.shake()
	s.note("the server is stopped")
	s.server.Stop()
	time.Sleep(s.upTo(3 * time.Second))
	s.server.Start()
	s.note("the server is back")
	s.figures.add(&s.mu, &s.figures.stops)
	s.shake()
}

// cut breaks the connection to the database for a while; now and then for longer than the sweep takes to call a process dead.
func cut(s *storm) {
	s.shake()
	pause := s.upTo(2 * time.Second)
	if s.upTo(4*time.Second) > 3*time.Second {
		pause += 7 * time.Second
	}
	s.note("the database connection is broken for %v", pause)
	s.proxy.Cut()
	time.Sleep(pause)
	s.proxy.Mend()
	s.figures.add(&s.mu, &s.figures.cuts)
	s.shake()
}

// blink breaks the connection and restores it at once: it leaves commits whose outcome is not known.
func blink(s *storm) {
	s.shake()
	s.note("the database connection is broken and restored")
	s.proxy.Cut()
	s.proxy.Mend()
	s.figures.add(&s.mu, &s.figures.cuts)
	s.shake()
}

// shake says that what is measured now is not about workers alone.
func (s *storm) shake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shaken++
	s.shakes = append(s.shakes, time.Now())
}

// calm is how long it takes a process to be itself again after the database was away.
const calm = 2 * time.Second

// shakenBetween reports whether the database failed at a time between these. Faults begin and end with a shake.
func (s *storm) shakenBetween(from, to time.Time) bool {
	for i := 0; i+1 < len(s.shakes); i += 2 {
		if s.shakes[i].Before(to) && s.shakes[i+1].Add(calm).After(from) {
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

// somebody is a worker that can be spoken to, or nil.
func (s *storm) somebody() *worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	awake := slices.DeleteFunc(slices.Clone(s.staff), func(w *worker) bool { return w.frozen.Load() })
	if len(awake) == 0 {
		return nil
	}
	return awake[s.r.IntN(len(awake))]
}
