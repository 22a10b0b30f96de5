package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/dispatch/river"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/tool"
	"sluice/engine/trigger"
	"sluice/storage"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
)

// asWorker is the variable whose presence makes a copy of this test program a worker. Its value is the orders.
const asWorker = "SLUICE_TEST_CHAOS"

func TestMain(m *testing.M) {
	if raw := os.Getenv(asWorker); raw != "" {
		if err := work(raw); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// orders is the configuration of a worker.
type orders struct {
	Name      string
	Postgres  string // address; empty = SQLite
	SQLite    string // path
	Outside   string // address
	Model     string // address
	Failpoint *failpoint
}

// actsAtOnce is how many acts a worker performs at the same time, at most.
const actsAtOnce = 6

// work serves until it is interrupted, fails at its failpoint, or the tests have ended.
func work(raw string) error {
	var o orders
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	e, err := o.engine(ctx)
	if err != nil {
		return err
	}
	address, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(address, &workerAPI{e}) }() // it ends with the process
	fmt.Printf("serves http://%s\n", address.Addr())
	return e.Serve(ctx)
}

func (o orders) engine(ctx context.Context) (*engine.Engine, error) {
	o.Failpoint.changed = sync.NewCond(&o.Failpoint.mu)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	tools, err := outsideTools(o.Outside, o.Failpoint.watched)
	if err != nil {
		return nil, err
	}
	cfg := engine.Config{
		Tools: tools, Worker: o.Name, Log: log, Grace: time.Second, Hook: o.Failpoint.pass,
		Model: llm.NewOpenAI(llm.OpenAIOptions{BaseURL: o.Model, Key: "none", Model: "scripted"}),
	}
	if o.Postgres == "" {
		cfg.Dispatcher = local.New(local.Options{Workers: actsAtOnce, Logger: log})
		store, err := serveFile(ctx, o)
		cfg.Store = hookedStore{store, o.Failpoint.pass}
		return engine.New(cfg), err
	}
	cfg.Shared, cfg.Queued = true, true
	d, err := river.Open(ctx, o.Postgres, river.Options{Name: o.Name, Workers: actsAtOnce, Logger: log})
	if err != nil {
		return nil, err
	}
	cfg.Dispatcher = d
	store, err := postgres.Open(ctx, o.Postgres, queueOfStore())
	cfg.Store = hookedStore{store, o.Failpoint.pass}
	return engine.New(cfg), err
}

func queueOfStore() postgres.Option {
	return postgres.WithQueue(storage.Queue{Put: river.Put, Gone: river.Gone, End: river.End, EndDead: river.EndDead})
}

// serveFile takes the right to serve the file, which a predecessor that was just killed may hold for a moment.
func serveFile(ctx context.Context, o orders) (storage.Store, error) {
	s, err := sqlite.Open(ctx, o.SQLite)
	if err != nil {
		return nil, err
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		_, _, err = s.Serve(ctx, o.Name)
		if !errors.Is(err, storage.ErrLocked) || time.Since(begun) > patience {
			return s, err
		}
	}
}

// outsideTools declares the tools of the outside service.
func outsideTools(address string, wrap func(tool.Tool) tool.Tool) (*tool.Set, error) {
	declared, err := tool.LoadActions("tools.yaml", fmt.Appendf(nil, actions, address), tool.Options{})
	if err != nil {
		return nil, err
	}
	for i := range declared {
		declared[i] = wrap(declared[i])
	}
	return tool.New(declared...)
}

// workerAPI is the HTTP server of a worker: it starts, holds, cancels and forks runs and takes answers.
type workerAPI struct{ e *engine.Engine }

// start asks for a run.
type start struct {
	Flow   string
	Inputs map[string]any
}

// start starts a run once, even when the answer is lost and the caller asks again: the run's key identifies the start, or the key of the
// occurrence where runs with the same key wait for each other.
func (c *workerAPI) start(ctx context.Context, s start) (engine.Started, error) {
	actor := history.Actor{User: "U1", Via: history.ViaHTTP}
	if s.Flow != queued {
		return c.e.Start(ctx, engine.StartRequest{Flow: s.Flow, Inputs: s.Inputs, Actor: actor})
	}
	const theFirst = 1
	t := storage.Trigger{Flow: s.Flow, Revision: theFirst, Kind: trigger.Webhook}
	return c.e.StartByTrigger(ctx, t, engine.Occurrence{Key: fmt.Sprint(s.Inputs["key"]), Values: s.Inputs, Actor: actor})
}

// ServeHTTP performs a request. A caller that gets no 200 asks again, here or at another worker.
func (c *workerAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var err error
	var said any
	switch r.URL.Path {
	case "/start":
		var s start
		if err = json.NewDecoder(r.Body).Decode(&s); err == nil {
			said, err = c.start(r.Context(), s)
		}
	case "/hold":
		var h hold
		if err = json.NewDecoder(r.Body).Decode(&h); err == nil {
			said, err = c.hold(r.Context(), h)
		}
	case "/cancel":
		var id string
		if err = json.NewDecoder(r.Body).Decode(&id); err == nil {
			said, err = c.cancel(r.Context(), id)
		}
	case "/fork":
		var f forking
		if err = json.NewDecoder(r.Body).Decode(&f); err == nil {
			said, err = c.fork(r.Context(), f)
		}
	case "/answer":
		var a engine.GateAnswer
		if err = json.NewDecoder(r.Body).Decode(&a); err == nil {
			said, err = c.e.Answer(r.Context(), a)
		}
		var decided *engine.DecidedError
		if errors.As(err, &decided) {
			err = nil // an earlier answer was stored, although its sender got no reply
		}
	}
	switch {
	case err != nil && unless(err, "paused") == nil:
		http.Error(w, err.Error(), http.StatusConflict)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(said)
}
