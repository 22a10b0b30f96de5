package engine_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/engine/view"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// records keeps what was logged, and says when something is.
type records struct {
	mu    sync.Mutex
	list  []slog.Record
	heard chan slog.Record
}

func (r *records) Enabled(context.Context, slog.Level) bool { return true }
func (r *records) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r *records) WithGroup(string) slog.Handler            { return r }

func (r *records) Handle(_ context.Context, rec slog.Record) error {
	r.mu.Lock()
	r.list = append(r.list, rec)
	r.mu.Unlock()
	select {
	case r.heard <- rec:
	default:
	}
	return nil
}

// said counts the lines of a level that hold some words.
func (r *records) said(level slog.Level, words string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rec := range r.list {
		if rec.Level == level && strings.Contains(rec.Message, words) {
			n++
		}
	}
	return n
}

// ballast fills a SQLite file up to its limit, and gives the space back.
type ballast struct {
	*testing.T
	db *sql.DB
}

const fullSize = 1 << 20

func newBallast(t *testing.T, path string) *ballast {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=max_page_count(256)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return &ballast{t, db}
}

func (b *ballast) load() {
	if _, err := b.db.ExecContext(b.Context(), "CREATE TABLE ballast (body BLOB)"); err != nil {
		b.Error(err)
		return
	}
	for size := 64 << 10; size > 0; {
		if _, err := b.db.ExecContext(b.Context(), "INSERT INTO ballast VALUES (zeroblob($1))", size); err != nil {
			size /= 2
		}
	}
}

func (b *ballast) drop() {
	if _, err := b.db.ExecContext(b.Context(), "DROP TABLE ballast"); err != nil {
		b.Fatal(err)
	}
}

const threeSteps = `
name: three
flow:
  entry: a
  nodes:
    - {id: a, type: tool, tool: work.do, params: {n: 1}, routes: [{to: b}]}
    - {id: b, type: tool, tool: work.do, params: {n: 2}, routes: [{to: c}]}
    - {id: c, type: tool, tool: work.do, params: {n: 3}, routes: [{to: end}]}
`

// fullWorld serves a small database that is filled while the second step of a run acts, so that its result cannot be stored. stop ends
// the engine.
func fullWorld(t *testing.T) (w *world, r storage.Run, b *ballast, log *records, stop func()) {
	t.Helper()
	w = newWorld(t)
	w.path = filepath.Join(t.TempDir(), "sluice.db")
	store, err := sqlite.Open(t.Context(), w.path, sqlite.MaxSize(fullSize))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w.store = store
	b = newBallast(t, w.path)
	w.add(tool.Tool{Name: "work.do", Description: "do", Effects: flow.EffectsOnce, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		if len(w.seen("work.do")) == 2 {
			b.load()
		}
		return tool.Result{Data: map[string]any{"n": c.Params["n"], "text": strings.Repeat("x", 20<<10)}}, nil
	}})
	log = &records{heard: make(chan slog.Record, 100)}
	w.engine = engine.New(engine.Config{
		Store: store, Tools: w.tools, Dispatcher: local.New(local.Options{}), Clock: w.clock, Surfaces: w, Worker: "test", Log: slog.New(log),
		Grace: time.Millisecond,
	})
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- w.engine.Serve(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	w.save(threeSteps)
	return w, w.start("three", nil), b, log, stop
}

// TestAFullDatabaseHoldsARunUp fills the database while a step acts: its result cannot be stored. Nothing of the transition is, the
// program says so once, and the run goes on by itself when there is space.
func TestAFullDatabaseHoldsARunUp(t *testing.T) {
	t.Parallel()
	w, r, b, log, stop := fullWorld(t)
	tries := 0
	w.until(r.ID, "the result was refused three times", func(*view.View) bool {
		for tries < 3 {
			select {
			case rec := <-log.heard:
				if strings.Contains(rec.Message, "database") {
					tries++
				}
			default:
				return false
			}
		}
		return true
	})
	wholly(t, w.store, r.ID, 2)
	if _, err := w.engine.Start(t.Context(), engine.StartRequest{Flow: "three", Actor: history.Actor{User: strings.Repeat("ana", 10<<10)}}); !errors.Is(err, storage.ErrFull) {
		t.Errorf("a start: error %v, want ErrFull", err)
	}
	b.drop()
	w.ended(r.ID, history.Succeeded)
	if calls := w.seen("work.do"); len(calls) != 3 {
		t.Errorf("%d acts, want 3", len(calls))
	}
	stop()
	if n := log.said(slog.LevelWarn, "the database is full"); n != 1 {
		t.Errorf("it was said %d times that the database is full", n)
	}
	if n := log.said(slog.LevelInfo, "again"); n != 1 {
		t.Errorf("it was said %d times that there is space again", n)
	}
}

// TestAStopDoesNotSayThatItIsNotFull stops the engine while the database is full: what waited gives up, and the step is still the one that
// is under way.
func TestAStopDoesNotSayThatItIsNotFull(t *testing.T) {
	t.Parallel()
	w, r, _, log, stop := fullWorld(t)
	w.wait("it is said that the database is full", func(context.Context) (bool, string, error) {
		return log.said(slog.LevelWarn, "the database is full") > 0, "nothing was said", nil
	})
	stop()
	if n := log.said(slog.LevelInfo, "again"); n != 0 {
		t.Errorf("it was said %d times that there is space again", n)
	}
	wholly(t, w.store, r.ID, 2)
}

// wholly checks that the facts and the state of a run belong together, and that a step is under way.
func wholly(t *testing.T, s storage.Store, id string, step int) {
	t.Helper()
	row, err := s.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := s.Facts(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := facts[len(facts)-1].Seq; n != st.Seq || int64(len(facts)) != n {
		t.Errorf("%d facts up to %d are stored, and the state is after %d", len(facts), n, st.Seq)
	}
	if len(st.Tokens) != 1 || st.Tokens[0].Phase != history.PhaseStarted || st.Steps != step {
		t.Errorf("tokens %+v at step %d", st.Tokens, st.Steps)
	}
}
