package engine_test

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/engine/lock"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
)

// Benchmarks of the engine on stores that sync every commit. BenchmarkCommit comes first: what the others report as %of-commits is
// their steps beside its commits in the same run of the program.

// databases are the stores that are measured.
var databases = []string{storage.SQLite, storage.Postgres}

// bench is an engine on a durable store, with a tool that does nothing but note when it was called.
type bench struct {
	b        *testing.B
	database string
	location string // file or address
	tools    *tool.Set
	store    storage.Store
	engine   *engine.Engine
	stop     func()
	ends     *ends

	mu    sync.Mutex
	calls map[string][]time.Time // by run
	begun chan string            // runs whose tool is called, when somebody listens
}

func newBench(b *testing.B, database string, flows ...*flow.Flow) *bench {
	b.Helper()
	x := &bench{b: b, database: database, calls: map[string][]time.Time{}}
	if database == storage.Postgres {
		x.location = pgtest.DurableURL(b)
	} else {
		x.location = filepath.Join(b.TempDir(), "sluice.db")
	}
	var err error
	x.tools, err = tool.New(tool.Tool{Name: "no.op", Description: "nothing", Effects: flow.EffectsRead, Call: x.note})
	if err != nil {
		b.Fatal(err)
	}
	x.open()
	b.Cleanup(func() { x.stop() })
	for _, f := range flows {
		x.save(f)
	}
	return x
}

// note is the tool.
func (x *bench) note(_ context.Context, c tool.Call) (tool.Result, error) {
	id, _, _ := strings.Cut(c.Key, "/")
	x.mu.Lock()
	x.calls[id] = append(x.calls[id], time.Now())
	begun := x.begun
	x.mu.Unlock()
	if begun != nil {
		begun <- id
	}
	return tool.Result{}, nil
}

func (x *bench) open() {
	x.b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var err error
	if x.database == storage.Postgres {
		x.store, err = postgres.Open(ctx, x.location)
	} else {
		x.store, err = sqlite.Open(ctx, x.location)
	}
	if err != nil {
		x.b.Fatal(err)
	}
	x.ends = &ends{waiting: map[string]chan struct{}{}}
	x.engine = engine.New(engine.Config{
		Store: x.store, Tools: x.tools, Dispatcher: local.New(local.Options{Workers: 64}), Surfaces: x.ends, Worker: "bench",
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = x.engine.Serve(ctx)
	}()
	x.stop = func() {
		cancel()
		<-done
		_ = x.store.Close()
	}
}

func (x *bench) save(f *flow.Flow) {
	x.b.Helper()
	lock, err := json.Marshal(lock.Of(f, x.tools))
	if err != nil {
		x.b.Fatal(err)
	}
	err = x.store.Write(context.Background(), &storage.Batch{
		Flow:     &storage.Flow{Name: f.Name, Head: 1, Updated: time.Now()},
		Revision: &storage.Revision{Flow: f.Name, Number: 1, Hash: flow.Hash(f), LockHash: "bench", Body: flow.Canonical(f), Lock: lock, At: time.Now()},
	})
	if err != nil {
		x.b.Fatal(err)
	}
}

func (x *bench) start(name string) string {
	s, err := x.engine.Start(context.Background(), engine.StartRequest{Flow: name, Actor: history.Actor{User: "bench"}})
	if err != nil {
		x.b.Error(err)
	}
	return s.Run.ID
}

// parse makes a flow of nodes in the file's own form.
func parse(name, entry string, nodes ...string) *flow.Flow {
	src := fmt.Sprintf("name: %s\nflow:\n  entry: %s\n  nodes:\n    - %s\n", name, entry, strings.Join(nodes, "\n    - "))
	doc, _ := file.Parse(name+".yaml", []byte(src))
	return doc.Flow
}

// chain is a flow of n steps, one after the other.
func chain(n int) *flow.Flow {
	var nodes []string
	for i := range n {
		next := fmt.Sprintf("s%d", i+1)
		if i == n-1 {
			next = flow.End
		}
		nodes = append(nodes, fmt.Sprintf("{id: s%d, type: tool, tool: no.op, routes: [{to: %s}]}", i, next))
	}
	return parse("chain", "s0", nodes...)
}

// ends tells when runs have ended.
type ends struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}
}

func (s *ends) channel(id string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[id] == nil {
		s.waiting[id] = make(chan struct{})
	}
	return s.waiting[id]
}

// Transition sees a run's last facts just before they are stored: close enough for a rate over many runs.
func (s *ends) Transition(r storage.Run, facts []history.Fact) ([]storage.Surface, []string) {
	if _, ok := facts[len(facts)-1].Body.(*history.RunEnded); ok {
		close(s.channel(r.ID))
	}
	return nil, nil
}

func (s *ends) Wake() {}

// commits is the rate of commits of one row with 32 clients, by database.
var commits = map[string]float64{}

// commit is a transaction of the yardstick.
type commit struct{ clients, rows, bytes int }

// yardsticks are commits of one small row, alone and with 32 clients, and commits of what a step of the chain stores: 1,500 bytes, in one
// row, and in four, which are the run's and three facts.
var yardsticks = []commit{{1, 1, 200}, {32, 1, 200}, {1, 1, 1500}, {1, 4, 1500}}

// statement inserts the rows. Four go into a table with a primary key, as the rows of a step do.
func (c commit) statement() string {
	if c.rows == 1 {
		return "INSERT INTO yardstick (body) VALUES ($1)"
	}
	var values []string
	for i := range c.rows {
		values = append(values, fmt.Sprintf("($%d, $%d)", 2*i+1, 2*i+2))
	}
	return "INSERT INTO journal (id, body) VALUES " + strings.Join(values, ", ")
}

// arguments are those of the commit with this number.
func (c commit) arguments(number int64) []any {
	body := strings.Repeat("y", c.bytes/c.rows)
	if c.rows == 1 {
		return []any{body}
	}
	var args []any
	for i := range c.rows {
		args = append(args, number*int64(c.rows)+int64(i), body)
	}
	return args
}

// BenchmarkCommit is what everything else is compared with.
func BenchmarkCommit(b *testing.B) {
	for _, database := range databases {
		for _, c := range yardsticks {
			b.Run(fmt.Sprintf("%s/%d/rows=%d,bytes=%d", database, c.clients, c.rows, c.bytes), func(b *testing.B) {
				db := rawDatabase(b, database, c.clients)
				insert, err := db.PrepareContext(b.Context(), c.statement())
				if err != nil {
					b.Fatal(err)
				}
				times := make([]time.Duration, b.N)
				var taken atomic.Int64
				var all sync.WaitGroup
				b.ResetTimer()
				for range c.clients {
					all.Go(func() {
						for i := taken.Add(1) - 1; i < int64(b.N); i = taken.Add(1) - 1 {
							args, begun := c.arguments(i), time.Now()
							if _, err := insert.ExecContext(context.Background(), args...); err != nil {
								b.Error(err)
								return
							}
							times[i] = time.Since(begun)
						}
					})
				}
				all.Wait()
				rate := float64(b.N) / b.Elapsed().Seconds()
				b.ReportMetric(rate, "commits/s")
				spread(b, "commit", times)
				if c.clients > 1 {
					commits[database] = rate
				}
			})
		}
	}
}

// rawDatabase opens a database with tables for the yardstick, past the store. SQLite has one writer.
func rawDatabase(b *testing.B, database string, clients int) *sql.DB {
	b.Helper()
	var db *sql.DB
	var err error
	if database == storage.Postgres {
		db, err = sql.Open("postgres", pgtest.DurableURL(b)+"&binary_parameters=yes")
	} else {
		clients = 1
		path := filepath.Join(b.TempDir(), "raw.db")
		db, err = sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)")
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(clients)
	db.SetMaxIdleConns(clients)
	if _, err := db.ExecContext(b.Context(), "CREATE TABLE yardstick (body TEXT); CREATE TABLE journal (id BIGINT PRIMARY KEY, body TEXT)"); err != nil {
		b.Fatal(err)
	}
	return db
}

// report gives a rate of steps, and what part of the yardstick it is.
func (x *bench) report(steps int) {
	rate := float64(steps) / x.b.Elapsed().Seconds()
	x.b.ReportMetric(rate, "steps/s")
	if yardstick := commits[x.database]; yardstick > 0 {
		x.b.ReportMetric(100*rate/yardstick, "%of-commits")
	}
}

// fanOut reports the middle and the slow end of some times, in microseconds.
func spread(b *testing.B, what string, times []time.Duration) {
	b.Helper()
	if len(times) == 0 {
		b.Fatal("nothing was measured")
	}
	slices.SortFunc(times, cmp.Compare)
	at := func(percent int) float64 { return float64(times[(len(times)-1)*percent/100].Microseconds()) }
	b.ReportMetric(at(50), what+"-p50-µs")
	b.ReportMetric(at(99), what+"-p99-µs")
}

// BenchmarkChain runs chains of ten steps that do nothing, one after the other and 50 at once.
func BenchmarkChain(b *testing.B) {
	for _, database := range databases {
		for _, atOnce := range []int{1, 50} {
			b.Run(fmt.Sprintf("%s/%d", database, atOnce), func(b *testing.B) {
				const steps = 10
				x := newBench(b, database, chain(steps))
				slots := make(chan struct{}, atOnce)
				var all sync.WaitGroup
				b.ResetTimer()
				for range b.N {
					slots <- struct{}{}
					all.Go(func() {
						defer func() { <-slots }()
						<-x.ends.channel(x.start("chain"))
					})
				}
				all.Wait()
				x.report(steps * b.N)
				b.StopTimer()
				var gaps []time.Duration
				for _, at := range x.calls {
					for i := 1; i < len(at); i++ {
						gaps = append(gaps, at[i].Sub(at[i-1]))
					}
				}
				spread(b, "gap", gaps)
			})
		}
	}
}

// BenchmarkFanOut runs a fork with 100 branches of one step, and its join.
func BenchmarkFanOut(b *testing.B) {
	const branches = 100
	var heads, nodes []string
	for i := range branches {
		heads = append(heads, fmt.Sprintf("b%d", i))
		nodes = append(nodes, fmt.Sprintf("{id: b%d, type: tool, tool: no.op, routes: [{to: end}]}", i))
	}
	nodes = append(nodes, fmt.Sprintf("{id: all, type: parallel, branches: [%s], join: {type: all}, routes: [{to: end}]}", strings.Join(heads, ", ")))
	f := parse("fan", "all", nodes...)
	for _, database := range databases {
		b.Run(database, func(b *testing.B) {
			x := newBench(b, database, f)
			b.ResetTimer()
			for range b.N {
				<-x.ends.channel(x.start("fan"))
			}
			x.report(branches * b.N)
		})
	}
}
