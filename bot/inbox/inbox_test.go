package inbox

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sluice/storage"
)

// memory is a store of one process.
type memory struct {
	Store
	mu   sync.Mutex
	rows []storage.Inbox
}

func (m *memory) PutInbox(_ context.Context, row storage.Inbox) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	row.ID = int64(len(m.rows) + 1)
	m.rows = append(m.rows, row)
	return true, nil
}

func (m *memory) PendingInbox(_ context.Context, after int64, _ int) (rows []storage.Inbox, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rows {
		if r.ID > after && r.Kind != "done" {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// recorder notes what becomes of rows. A row of the kind "broken" fails, one of the kind "away" finds no database the first ten times.
type recorder struct {
	memory *memory
	told   []string
	away   int
}

func (r *recorder) Handle(_ context.Context, row storage.Inbox) error {
	if row.Kind == "broken" {
		return errors.New("broken")
	}
	if row.Kind == "away" && r.stillAway() {
		return storage.ErrUnavailable
	}
	return r.end("done", row)
}

func (r *recorder) stillAway() bool {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	r.away++
	return r.away <= 10
}

func (r *recorder) GiveUp(_ context.Context, row storage.Inbox) error { return r.end("given up", row) }

func (*recorder) Patience(error) time.Duration { return 0 }

func (r *recorder) end(how string, row storage.Inbox) error {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	r.memory.rows[row.ID-1].Kind = "done"
	r.told = append(r.told, how+" "+row.Key)
	return nil
}

// TestRowsOfAThreadGoInOrder: a row that fails holds up its own thread until it is set aside, and no other.
func TestRowsOfAThreadGoInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		r := &recorder{memory: m}
		b := New(Config{Store: m})
		ctx, stop := context.WithCancel(t.Context())
		var working sync.WaitGroup
		working.Go(func() { b.Work(ctx, r) })
		for _, row := range []storage.Inbox{
			{Key: "1", Thread: "a", Kind: "broken"}, {Key: "2", Thread: "a"}, {Key: "3", Thread: "b"}, {Key: "4", Thread: "c", Kind: "away"},
		} {
			if _, err := b.Put(ctx, row); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Minute)
		stop()
		working.Wait()
		want := []string{"done 3", "given up 1", "done 2", "done 4"}
		if !slices.Equal(r.told, want) {
			t.Errorf("%q, want %q", r.told, want)
		}
	})
}
