package sqlstore_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/storage"
)

// TestStepsOfEveryWidth writes transitions of few and many facts, alike and not, with and without surfaces: Postgres has statements of
// its own for those that most steps make, and all of them store the same and refuse the same. There are few such statements.
func TestStepsOfEveryWidth(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) storage.Store{"sqlite": openSQLite, "postgres": openPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			var mu sync.Mutex
			narrow := map[string]bool{}
			s.(inner).Observe(func(query string) {
				mu.Lock()
				defer mu.Unlock()
				if strings.Contains(query, "UPDATE runs") && strings.Contains(query, "INSERT INTO facts") && !strings.Contains(query, "unnest") {
					narrow[query] = true
				}
			})
			run := 0
			for facts := range 7 {
				for _, alike := range []bool{true, false} {
					for surfaces := range 3 {
						run++
						writeSteps(t, s, run, facts, surfaces, alike)
					}
				}
			}
			// Up to four facts with at most one surface, alike or not; a fact alone is like itself.
			if want := 2 * (4 + 3); name == "postgres" && len(narrow) != want {
				t.Errorf("%d narrow statements instead of %d", len(narrow), want)
			}
		})
	}
}

// writeSteps makes a run and moves it twice from the same version: the first move is stored, the second leaves nothing.
func writeSteps(t *testing.T, s storage.Store, number, facts, surfaces int, alike bool) {
	t.Helper()
	what := fmt.Sprintf("%d facts, alike: %v, %d surfaces", facts, alike, surfaces)
	r := startRun(t.Context(), t, s, number)
	b := &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: stepFacts(r.ID, facts, alike)}}
	b.Run.Run.State, b.Run.Run.Title, b.Run.Run.Steps = []byte(`{"a":"ä\u0000"}`), "Größe", 3
	for i := range surfaces {
		b.Stale = append(b.Stale, []string{"run:" + r.ID, "gate:" + r.ID}[i])
	}
	for _, want := range []error{nil, storage.ErrConflict} {
		if err := s.Write(t.Context(), b); !errors.Is(err, want) {
			t.Fatalf("%s: %v instead of %v", what, err, want)
		}
	}
	stored, err := s.Facts(t.Context(), r.ID, 1)
	if err != nil || len(stored) != facts {
		t.Fatalf("%s: %d are stored (%v)", what, len(stored), err)
	}
	for i, f := range stored {
		if !reflect.DeepEqual(f, b.Run.Facts[i]) {
			t.Errorf("%s: fact %d is stored as\n%+v instead of\n%+v", what, i, f, b.Run.Facts[i])
		}
	}
	now, err := s.Run(t.Context(), r.ID)
	if err != nil || now.Version != 2 || now.Title != "Größe" || now.Steps != 3 || string(now.State) != string(b.Run.Run.State) || !now.Ended.IsZero() {
		t.Errorf("%s: the run is stored as %+v (%v)", what, now, err)
	}
	shown, err := s.SurfacesOf(t.Context(), "run:"+r.ID)
	if err != nil || len(shown) != 1 || int(shown[0].Wanted) != 1+min(surfaces, 1) {
		t.Errorf("%s: the surface is %+v (%v)", what, shown, err)
	}
}

// stepFacts are facts of a transition, with whatever a column may hold at its ends.
func stepFacts(run string, n int, alike bool) []storage.Fact {
	at := time.Date(2026, 3, 29, 1, 59, 59, 123456000, time.UTC)
	list := make([]storage.Fact, n)
	for i := range list {
		list[i] = storage.Fact{
			Run: run, Seq: int64(i) + 2, Kind: fmt.Sprint("kind_", i), Version: 1, At: at, Actor: []byte(`{"via":"worker"}`), Token: 1,
			Node: strings.Repeat("näh-", i), Step: -i, Body: fmt.Appendf(nil, `{"n":%d,"text":"\\x00 ' \"  $1"}`, i),
		}
		if i == 2 {
			list[i].Body = nil
		}
		if !alike && i > 0 {
			list[i].At, list[i].Actor, list[i].Token = time.Time{}, nil, 1<<40
		}
	}
	return list
}
