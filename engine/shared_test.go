package engine_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/lib/pq" // the outside service keeps its book in Postgres

	"sluice/engine"
	"sluice/engine/dispatch/river"
	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
)

// asServer makes a copy of this test binary one of several processes that serve a store: it holds the database's address.
const asServer = "SLUICE_TEST_SERVER"

func TestMain(m *testing.M) {
	if address := os.Getenv(asServer); address != "" {
		if err := server(address, os.Getenv("SLUICE_TEST_BOOK"), os.Getenv("SLUICE_TEST_NAME")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	enginetest.WaitTogether()
	os.Exit(m.Run())
}

// workers is how many acts a process is in the middle of at most.
const workers = 4

// server serves until it is interrupted, or the tests have ended.
func server(address, bookURL, name string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	c, err := newColleague(ctx, address, bookURL, name)
	if err != nil {
		return err
	}
	fmt.Println("serves")
	return c.engine.Serve(ctx)
}

// colleague is what each process is made of. The one of the test itself starts runs and looks at them, and does not serve.
type colleague struct {
	engine *engine.Engine
	store  storage.Store
	tools  *tool.Set
	book   *sql.DB
}

func newColleague(ctx context.Context, address, bookURL, name string) (*colleague, error) {
	book, err := sql.Open("postgres", bookURL)
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})).With("process", name)
	d, err := river.Open(ctx, address, river.Options{Name: name, Workers: workers, Logger: log})
	if err != nil {
		return nil, err
	}
	store, err := postgres.Open(ctx, address, postgres.WithQueue(storage.Queue{Put: river.Put, Gone: river.Gone, End: river.End, EndDead: river.EndDead}))
	if err != nil {
		return nil, err
	}
	c := &colleague{store: store, book: book}
	if c.tools, err = tool.New(act(book, name, "work.step", flow.EffectsIdempotent)); err != nil {
		return nil, err
	}
	c.engine = engine.New(engine.Config{
		Store: store, Tools: c.tools, Dispatcher: d, Worker: name, Shared: true, Queued: true, Log: log, Grace: 200 * time.Millisecond,
		Hook: dies(),
	})
	return c, nil
}

const bookTable = `CREATE TABLE book (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key TEXT, run TEXT, worker TEXT,
	begun TIMESTAMPTZ DEFAULT clock_timestamp(), ended TIMESTAMPTZ, cancelled BOOLEAN NOT NULL DEFAULT FALSE)`

// act is a tool that notes when it begins and when it ends.
func act(book *sql.DB, worker, name string, effects flow.Effects) tool.Tool {
	return tool.Tool{Name: name, Description: "takes its time", Effects: effects, Call: func(ctx context.Context, c tool.Call) (tool.Result, error) {
		keep := context.WithoutCancel(ctx)
		var id int64
		const begin = "INSERT INTO book (key, run, worker) VALUES ($1, $2, $3) RETURNING id"
		if err := book.QueryRowContext(keep, begin, c.Key, c.Params["run"], worker).Scan(&id); err != nil {
			return tool.Result{}, err
		}
		ms, _ := strconv.Atoi(fmt.Sprint(c.Params["ms"]))
		var err error
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-ctx.Done():
			err = ctx.Err()
		}
		if _, noted := book.ExecContext(keep, "UPDATE book SET ended = clock_timestamp(), cancelled = $2 WHERE id = $1", id, err != nil); noted != nil {
			return tool.Result{}, noted
		}
		return tool.Result{Data: map[string]any{"done": true}}, err
	}}
}

// office is three processes on one database, with a book of their own beside it.
type office struct {
	*testing.T
	*colleague
	procs   map[string]*exec.Cmd
	bookURL string
}

// newOffice starts the processes; line changes the address by which they reach the database.
func newOffice(t *testing.T, line func(address string) string) *office {
	t.Helper()
	o, address := emptyOffice(t)
	if line != nil {
		address = line(address)
	}
	for _, name := range []string{"p1", "p2", "p3"} {
		o.hire(name, address)
	}
	return o
}

// emptyOffice has nobody in it yet.
func emptyOffice(t *testing.T) (o *office, address string) {
	t.Helper()
	address = pgtest.URL(t)
	return emptyOfficeAt(t, address), address
}

// emptyOfficeAt is emptyOffice in a given database; the book lies elsewhere.
func emptyOfficeAt(t *testing.T, address string) *office {
	t.Helper()
	bookURL := pgtest.URL(t)
	c, err := newColleague(t.Context(), address, bookURL, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.store.Close()
		_ = c.book.Close()
	})
	if _, err := c.book.ExecContext(t.Context(), bookTable); err != nil {
		t.Fatal(err)
	}
	return &office{T: t, colleague: c, procs: map[string]*exec.Cmd{}, bookURL: bookURL}
}

func (o *office) hire(name, address string, env ...string) {
	o.Helper()
	self, err := os.Executable()
	if err != nil {
		o.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), asServer+"="+address, "SLUICE_TEST_BOOK="+o.bookURL, "SLUICE_TEST_NAME="+name)
	cmd.Env = append(cmd.Env, env...)
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		o.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // nobody closes it: its end is the end of this process
		o.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if o.Failed() || strings.Contains(log.String(), "DATA RACE") {
			o.Errorf("--- %s wrote:\n%s", name, log.String())
		}
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "serves\n" {
		o.Fatalf("%s does not serve: %q, %v", name, line, err)
	}
	o.procs[name] = cmd
}

func (o *office) signal(name string, s os.Signal) {
	o.Helper()
	if err := o.procs[name].Process.Signal(s); err != nil {
		o.Fatal(err)
	}
}

// save stores a flow with steps that take so many milliseconds each.
func (o *office) save(name string, steps, ms int) {
	o.Helper()
	var src strings.Builder
	fmt.Fprintf(&src, "name: %s\nflow:\n  entry: s1\n  nodes:\n", name)
	for n := 1; n <= steps; n++ {
		next := fmt.Sprintf("s%d", n+1)
		if n == steps {
			next = "end"
		}
		fmt.Fprintf(&src, "    - {id: s%d, type: tool, tool: work.step, params: {ms: %d, run: \"{{run.name}}\"}, routes: [{to: %s}]}\n", n, ms, next)
	}
	o.put(src.String())
}

// put stores a flow file as an approved revision.
func (o *office) put(src string) {
	o.Helper()
	doc, problems := file.Check("flow.yaml", []byte(src), engine.Checks(o.tools))
	if problems.HasErrors() {
		o.Fatal(problems)
	}
	f := doc.Flow
	lock, err := o.engine.Lock(o.Context(), f)
	if err != nil {
		o.Fatal(err)
	}
	raw, err := json.Marshal(lock)
	if err == nil {
		err = o.store.Write(o.Context(), &storage.Batch{
			Flow: &storage.Flow{Name: f.Name, Head: 1},
			Revision: &storage.Revision{
				Flow: f.Name, Number: 1, Hash: flow.Hash(f), LockHash: flow.ApprovalHash(f, lock), Body: flow.Canonical(f), Lock: raw,
			},
		})
	}
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) start(name string, n int) (ids []string) {
	o.Helper()
	for range n {
		s, err := o.engine.Start(o.Context(), engine.StartRequest{Flow: name, Actor: history.Actor{User: "ana", Via: history.ViaCLI}})
		if err != nil {
			o.Fatal(err)
		}
		ids = append(ids, s.Run.ID)
	}
	return ids
}

// until asks again and again; ok may count on everything that was asked in one go being of one moment.
func (o *office) until(what string, ok func() bool) {
	o.Helper()
	for late := time.Now().Add(2 * limit); !ok(); {
		if time.Now().After(late) {
			o.Fatalf("waited in vain for: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (o *office) number(query string, args ...any) (n int) {
	o.Helper()
	if err := o.book.QueryRowContext(o.Context(), query, args...).Scan(&n); err != nil {
		o.Fatal(err)
	}
	return n
}

// busy waits until a process is in the middle of an act.
func (o *office) busy(name string) {
	o.Helper()
	o.until(name+" acts", func() bool {
		return o.number("SELECT count(*) FROM book WHERE worker = $1 AND ended IS NULL", name) > 0
	})
}

// ended waits until all runs have come to their good end.
func (o *office) ended(ids []string) {
	o.Helper()
	o.Cleanup(func() {
		if o.Failed() {
			o.where(ids)
		}
	})
	for _, id := range ids {
		o.until("the end of run "+id, func() bool {
			r, err := o.store.Run(o.Context(), id)
			if err != nil {
				o.Fatal(err)
			}
			return r.Status == string(history.Succeeded)
		})
	}
}

// where tells how far runs have come that have not ended.
func (o *office) where(ids []string) {
	ctx := context.Background()
	leases, err := o.store.Leases(ctx)
	p, beaten := o.store.Beat(ctx, "test", time.Now())
	o.Logf("leases: %+v, %v\nbeats: %v, %v", leases, err, p.Beats, beaten)
	for _, id := range ids {
		r, err := o.store.Run(ctx, id)
		if err != nil || r.Status == string(history.Succeeded) {
			continue
		}
		facts, err := o.store.Facts(ctx, id, 0)
		o.Logf("run %s is %s, %v", r.Name, r.Status, err)
		for _, f := range facts {
			o.Logf("%s %d %s token %d node %s step %d: %s", f.At.Format(time.TimeOnly), f.Seq, f.Kind, f.Token, f.Node, f.Step, f.Body)
		}
	}
}

// repeated counts acts that were begun again after somebody else than the victim had begun them.
func (o *office) repeated(victim string) int {
	o.Helper()
	return o.number("SELECT count(*) FROM book a WHERE worker <> $1 AND EXISTS (SELECT 1 FROM book b WHERE b.key = a.key AND b.id > a.id)", victim)
}

func TestAKilledProcessIsReplacedByTheOthers(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.save("chain", 6, 150)
	ids := o.start("chain", 24)
	o.busy("p1")
	o.signal("p1", syscall.SIGKILL)
	killed := time.Now()
	o.until("an act of the dead is begun elsewhere", func() bool {
		return o.number("SELECT count(*) FROM book a JOIN book b ON b.key = a.key AND b.id > a.id WHERE a.worker = 'p1' AND b.worker <> 'p1'") > 0
	})
	// The limit is ten seconds; a machine that is busy with other tests may take longer to notice.
	if took := time.Since(killed); took > 30*time.Second {
		t.Errorf("the work of the dead went on after %v", took)
	} else {
		t.Logf("the work of the dead went on after %v", took)
	}
	o.ended(ids)
	if n := o.repeated("p1"); n != 0 {
		t.Errorf("%d acts of the living were repeated", n)
	}
	if n := o.number("SELECT count(DISTINCT key) FROM book"); n != 24*6 {
		t.Errorf("%d different acts", n)
	}
	p, err := o.store.Beat(t.Context(), "test", time.Now())
	if _, there := p.Beats["p1"]; there || err != nil {
		t.Errorf("the dead are still in the book of the living: %v, %v", p.Beats, err)
	}
}

func TestAFrozenProcessCannotGoOn(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.save("chain", 3, 1000)
	ids := o.start("chain", 12)
	// Frozen between the look at its lease and the first byte that it sends, a process could not help sending it after the thaw: so
	// it is frozen when all its workers are in the middle of an act. The three processes share the acts as they come, so that a few
	// rounds can pass in which p2 has fewer acts than workers: new runs follow the ended ones.
	o.until("all workers of p2 act", func() bool {
		if o.number("SELECT count(*) FROM book WHERE ended IS NOT NULL") > 3*len(ids)-9 {
			ids = append(ids, o.start("chain", 12)...)
		}
		return o.number(`SELECT count(*) FROM book WHERE worker = 'p2' AND ended IS NULL
			AND clock_timestamp() - begun BETWEEN interval '200 ms' AND interval '600 ms'`) == workers
	})
	o.signal("p2", syscall.SIGSTOP)
	o.ended(ids)
	before := o.number("SELECT max(id) FROM book")
	o.signal("p2", syscall.SIGCONT)
	// It beats again, and takes new work.
	o.until("the thawed process works again", func() bool {
		o.ended(o.start("chain", 6))
		return o.number("SELECT count(*) FROM book WHERE worker = 'p2' AND id > $1", before) > 0
	})
	if n := o.number("SELECT count(*) FROM book a WHERE id > $1 AND EXISTS (SELECT 1 FROM book b WHERE b.key = a.key AND b.id <= $1)", before); n != 0 {
		t.Errorf("%d old acts were begun again after the thaw", n)
	}
	if n := o.repeated("p2"); n != 0 {
		t.Errorf("%d acts of the others were repeated", n)
	}
}

func TestAnAbsentDatabaseKillsNobody(t *testing.T) {
	t.Parallel()
	var line *pgtest.Proxy
	o := newOffice(t, func(address string) string {
		line = pgtest.NewProxy(t, address)
		return line.URL
	})
	o.save("chain", 3, 400)
	ids := o.start("chain", 12)
	o.busy("p3")
	line.Cut()
	absent := time.NewTimer(9 * time.Second) // longer than it takes to be thought dead
	<-absent.C
	line.Mend()
	o.ended(ids)
	if n := o.number("SELECT count(*) FROM book a JOIN book b ON b.key = a.key AND b.id > a.id"); n != 0 {
		t.Errorf("%d acts were repeated", n)
	}
}

func TestACancelReachesAnotherProcess(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.save("long", 1, 600_000)
	ids := o.start("long", 1)
	o.until("the act", func() bool { return o.number("SELECT count(*) FROM book") > 0 })
	if err := o.engine.Cancel(t.Context(), ids[0], history.Actor{User: "ana"}, "changed my mind"); err != nil {
		t.Fatal(err)
	}
	o.until("the end of the act", func() bool { return o.number("SELECT count(*) FROM book WHERE cancelled") == 1 })
}

func TestAProcessThatStopsGivesBackWhatItHolds(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.save("long", 1, 2500)
	ids := o.start("long", 3*workers) // as many as all can perform, so that each of the three is busy
	o.busy("p1")
	o.signal("p1", os.Interrupt)
	o.ended(ids)
	if n := o.repeated("p1"); n != 0 {
		t.Errorf("%d acts of the others were repeated", n)
	}
	if n := o.number("SELECT count(*) FROM book a JOIN book b ON b.key = a.key AND b.id > a.id WHERE b.begun > a.ended + interval '5 seconds'"); n != 0 {
		t.Errorf("%d acts had to wait until the process was thought dead", n)
	}
}
