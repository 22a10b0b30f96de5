package river_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/lib/pq" // the store's driver

	"sluice/engine/dispatch"
	"sluice/engine/dispatch/dispatchtest"
	"sluice/engine/dispatch/river"
	"sluice/storage/pgtest"
)

var quiet = slog.New(slog.DiscardHandler)

func TestDispatcher(t *testing.T) {
	t.Parallel()
	dispatchtest.Run(t, func(t *testing.T, workers int) dispatch.Dispatcher {
		return open(t, pgtest.URL(t), "p1", workers)
	})
}

func open(tb testing.TB, address, name string, workers int) *river.Dispatcher {
	tb.Helper()
	d, err := river.Open(tb.Context(), address, river.Options{Name: name, Workers: workers, Logger: quiet})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := d.Stop(ctx); err != nil {
			tb.Error(err)
		}
	})
	return d
}

func start(tb testing.TB, d dispatch.Dispatcher, p dispatch.Performer) {
	tb.Helper()
	if err := d.Start(tb.Context(), p); err != nil {
		tb.Fatal(err)
	}
}

func store(tb testing.TB, address string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("postgres", address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

// put is Put as the store uses it, for one item.
var put = strings.Replace(river.Put, "{rows}", "(VALUES ($1::text, $2::bigint, $3::bigint)) AS v (run, token, epoch)", 1)

// insert puts an item into the queue by the store's driver, and returns the job's id.
func insert(tb testing.TB, tx *sql.Tx, it dispatch.Item) (id int64) {
	tb.Helper()
	var run, woken string
	var token int
	if err := tx.QueryRowContext(tb.Context(), put, it.Run, it.Token, it.Epoch).Scan(&id, &run, &token, &woken); err != nil {
		tb.Fatal(err)
	}
	if run != it.Run || token != it.Token {
		tb.Fatalf("returned %s/%d for %v", run, token, it)
	}
	return id
}

func begin(tb testing.TB, db *sql.DB) *sql.Tx {
	tb.Helper()
	tx, err := db.BeginTx(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return tx
}

func receive[T any](tb testing.TB, from <-chan T, what string) T {
	tb.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(dispatchtest.Limit):
		tb.Fatalf("waited in vain for %s", what)
		panic("not reached")
	}
}

func TestAJobLivesAndDiesWithItsTransaction(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	d, db := open(t, address, "p1", 1), store(t, address)
	got := make(chan dispatch.Item, 9)
	start(t, d, func(_ context.Context, it dispatch.Item) { got <- it })
	tx := begin(t, db)
	insert(t, tx, dispatch.Item{Run: "never", Token: 1, Epoch: 1})
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	tx = begin(t, db)
	want := []dispatch.Item{{Run: "r1", Token: 1, Epoch: 1}, {Run: "r1", Token: 2, Epoch: 7}}
	for _, it := range want {
		insert(t, tx, it)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if list := []dispatch.Item{receive(t, got, "the first"), receive(t, got, "the second")}; !slices.Equal(list, want) {
		t.Fatalf("performed %v", list)
	}
}

func TestProcessesShareTheQueue(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	at := make(chan string, 9)
	goOn := make(chan struct{})
	var first *river.Dispatcher
	for _, name := range []string{"p1", "p2", "p3"} {
		first = open(t, address, name, 1)
		start(t, first, func(ctx context.Context, _ dispatch.Item) {
			at <- name
			select {
			case <-goOn:
			case <-ctx.Done():
			}
		})
	}
	for n := range 3 {
		first.Enqueue(dispatch.Item{Run: "r", Token: n})
	}
	names := []string{receive(t, at, "one"), receive(t, at, "two"), receive(t, at, "three")}
	slices.Sort(names)
	if !slices.Equal(names, []string{"p1", "p2", "p3"}) {
		t.Fatalf("performed by %v", names)
	}
	close(goOn)
}

func TestARevocationReachesAnotherProcess(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	here, there := open(t, address, "here", 4), open(t, address, "there", 4)
	begun, causes := make(chan dispatch.Item, 9), make(chan error, 9)
	start(t, there, func(ctx context.Context, it dispatch.Item) {
		begun <- it
		<-ctx.Done()
		causes <- context.Cause(ctx)
	})
	here.Enqueue(dispatch.Item{Run: "r", Token: 1, Epoch: 3}, dispatch.Item{Run: "r", Token: 2, Epoch: 3})
	receive(t, begun, "the first item")
	receive(t, begun, "the second item")
	here.Revoke("r", 2, 2)
	here.Revoke("r", 2, 3)
	if cause := receive(t, causes, "the end of the item"); !errors.Is(cause, dispatch.ErrRevoked) {
		t.Fatalf("cause %v", cause)
	}
	select {
	case <-causes:
		t.Fatal("the other item ended, too")
	default:
	}
}

// TestWhatAStopCutsShortIsTakenElsewhere needs no sweep: the process that stops says so.
func TestWhatAStopCutsShortIsTakenElsewhere(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	first, second := open(t, address, "first", 1), open(t, address, "second", 1)
	begun, taken := make(chan struct{}), make(chan dispatch.Item, 9)
	start(t, first, func(ctx context.Context, _ dispatch.Item) {
		close(begun)
		<-ctx.Done()
	})
	want := dispatch.Item{Run: "r", Token: 1, Epoch: 1}
	first.Enqueue(want)
	receive(t, begun, "the item")
	start(t, second, func(_ context.Context, it dispatch.Item) { taken <- it })
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if err := first.Stop(impatient); err != nil {
		t.Fatal(err)
	}
	if it := receive(t, taken, "the item elsewhere"); it != want {
		t.Fatalf("took %v", it)
	}
}

func TestTheQueueOutlivesItsConnections(t *testing.T) {
	t.Parallel()
	line := pgtest.NewProxy(t, pgtest.URL(t))
	d := open(t, line.URL, "p1", 2)
	got := make(chan dispatch.Item, 9)
	start(t, d, func(_ context.Context, it dispatch.Item) { got <- it })
	d.Enqueue(dispatch.Item{Run: "before"})
	receive(t, got, "the item before")
	line.Cut()
	d.Enqueue(dispatch.Item{Run: "meanwhile"})
	line.Mend()
	for {
		// The item before may come again, when the cut lost the record of its end: a job is a wake-up.
		if receive(t, got, "the item meanwhile").Run == "meanwhile" {
			return
		}
	}
}

// TestAStartIsTriedAgain loses the database between the opening and the start.
func TestAStartIsTriedAgain(t *testing.T) {
	t.Parallel()
	line := pgtest.NewProxy(t, pgtest.URL(t))
	d := open(t, line.URL, "first", 1)
	line.Cut()
	done := make(chan dispatch.Item, 1)
	perform := func(_ context.Context, it dispatch.Item) { done <- it }
	if err := d.Start(context.Background(), perform); err == nil {
		t.Fatal("it starts without a database")
	}
	line.Mend()
	for late := time.Now().Add(time.Minute); ; { // connections that broke are found out one by one
		err := d.Start(context.Background(), perform)
		if err == nil {
			break
		}
		if time.Now().After(late) {
			t.Fatal(err)
		}
	}
	it := dispatch.Item{Run: "r", Token: 1, Epoch: 1}
	d.Enqueue(it)
	if got := receive(t, done, "the item"); got != it {
		t.Errorf("%v came, not %v", got, it)
	}
}

func TestJobsOfTheDeadAreOver(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	d, db := open(t, address, "p1", 1), store(t, address)
	begun, goOn := make(chan struct{}), make(chan struct{})
	start(t, d, func(context.Context, dispatch.Item) {
		close(begun)
		<-goOn
	})
	gone := func(id int64) (is bool) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), "SELECT "+strings.ReplaceAll(river.Gone, "{job}", "$1::bigint"), id).Scan(&is); err != nil {
			t.Fatal(err)
		}
		return is
	}
	tx := begin(t, db)
	atWork, waiting := insert(t, tx, dispatch.Item{Run: "r", Token: 1}), insert(t, tx, dispatch.Item{Run: "r", Token: 2})
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	receive(t, begun, "the item")
	for _, c := range []struct {
		dead          string
		first, second bool
	}{{`{}`, false, false}, {`{p2,nobody}`, false, false}, {`{p2,p1}`, true, false}} {
		if _, err := db.ExecContext(t.Context(), river.EndDead, c.dead); err != nil {
			t.Fatal(err)
		}
		if a, b := gone(atWork), gone(waiting); a != c.first || b != c.second {
			t.Fatalf("after ending the jobs of %s: gone %t and %t", c.dead, a, b)
		}
	}
	if !gone(1 << 40) {
		t.Fatal("a job that never was is not gone")
	}
	// What a client fetched and never heard of runs for ever.
	const lost = "UPDATE river_job SET state = 'running', attempted_at = now() - interval '1 minute' WHERE id = $1"
	if _, err := db.ExecContext(t.Context(), lost, waiting); err != nil {
		t.Fatal(err)
	}
	if !gone(waiting) {
		t.Fatal("a job that nobody knows is not gone")
	}
	if _, err := db.ExecContext(t.Context(), strings.ReplaceAll(river.End, "{job}", "$1"), waiting); err != nil {
		t.Fatal(err)
	}
	var state string
	if err := db.QueryRowContext(t.Context(), "SELECT state FROM river_job WHERE id = $1", waiting).Scan(&state); err != nil || state != "cancelled" {
		t.Fatalf("its state is %q, %v", state, err)
	}
	close(goOn)
}

func TestManyOpenAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	opened := make(chan error)
	const n = 4
	for range n {
		go func() {
			d, err := river.Open(t.Context(), address, river.Options{Name: "p", Logger: quiet})
			if err == nil {
				err = d.Stop(t.Context())
			}
			opened <- err
		}()
	}
	for range n {
		if err := receive(t, opened, "a dispatcher"); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkPickUp measures from the commit of the store's transaction to the call of the performer, in an idle process.
func BenchmarkPickUp(b *testing.B) {
	address := pgtest.DurableURL(b)
	d, db := open(b, address, "p1", 8), store(b, address)
	picked := make(chan time.Time, 1)
	start(b, d, func(context.Context, dispatch.Item) { picked <- time.Now() })
	var waits []time.Duration
	for n := 0; b.Loop(); n++ {
		tx := begin(b, db)
		insert(b, tx, dispatch.Item{Run: "r", Token: n})
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
		committed := time.Now()
		waits = append(waits, receive(b, picked, "the item").Sub(committed))
	}
	slices.Sort(waits)
	b.ReportMetric(float64(waits[len(waits)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds()), "p99-µs")
}
