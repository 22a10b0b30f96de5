package sqlstore_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"sluice/storage"
)

// TestNoBodyOutlivesItsRuns removes two runs that share a large body: it is there until the second has lost its facts, and what is the
// first one's own goes with that.
func TestNoBodyOutlivesItsRuns(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) storage.Store{storage.SQLite: openSQLite, storage.Postgres: openPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			body := func(of string) []byte { return bytes.Repeat([]byte(of), 70<<10) }
			var runs []storage.Run
			for n, bodies := range [][]string{{"shared", "own", "shared"}, {"shared"}} {
				w := &storage.RunWrite{Run: storage.Run{
					ID: fmt.Sprint("r", n), Flow: "f", Number: n, Name: fmt.Sprint("f-", n), Status: "succeeded", Started: time.Unix(1, 0), Ended: time.Unix(2, 0),
				}}
				for i, of := range bodies {
					w.Facts = append(w.Facts, storage.Fact{Seq: int64(i + 1), Kind: "step_finished", Body: body(of)})
				}
				if err := s.Write(t.Context(), &storage.Batch{Run: w}); err != nil {
					t.Fatal(err)
				}
				r, err := s.Run(t.Context(), w.Run.ID)
				if err != nil {
					t.Fatal(err)
				}
				runs = append(runs, r)
			}
			for i, left := range []int{1, 0} {
				if n := bodiesOf(t, s); n != left+1 {
					t.Errorf("before removal %d there are %d bodies, want %d", i, n, left+1)
				}
				if err := s.Remove(t.Context(), storage.Removal{Run: &runs[i], At: time.Unix(3, 0)}); err != nil {
					t.Fatal(err)
				}
				for more := 1; more > 0; {
					var err error
					if more, err = s.RemoveFacts(t.Context(), 2); err != nil {
						t.Fatal(err)
					}
				}
				if n := bodiesOf(t, s); n != left {
					t.Errorf("after removal %d there are %d bodies, want %d", i, n, left)
				}
			}
		})
	}
}

func bodiesOf(t *testing.T, s storage.Store) int {
	t.Helper()
	lines, err := s.(inner).Lines(t.Context(), "SELECT hash FROM blobs")
	if err != nil {
		t.Fatal(err)
	}
	return len(lines)
}
