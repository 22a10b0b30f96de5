package storagetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"sluice/storage"
)

// joinLine starts run n behind the holder of a key.
func joinLine(t *testing.T, s storage.Store, n int, holder string) error {
	t.Helper()
	r := newRun(n)
	r.Key, r.Started = "A-1001", start.Add(time.Duration(n)*time.Second)
	return s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: newFacts(1, 1), After: holder}})
}

func keyLine(t *testing.T, s storage.Store) {
	wantError(t, joinLine(t, s, 9, "run0001"), storage.ErrNotFound) // nobody holds the key
	if err := startKeyed(t, s, 1, start, 0, true); err != nil {
		t.Fatal(err)
	}
	if err := joinLine(t, s, 2, "run0001"); err != nil {
		t.Fatal(err)
	}
	wantTaken(t, joinLine(t, s, 3, "run0001"), "run0002")
	_, err := s.Run(t.Context(), "run0003")
	wantError(t, err, storage.ErrNotFound)
	if err := joinLine(t, s, 3, "run0002"); err != nil {
		t.Fatal(err)
	}
	for run, before := range map[string]string{"run0001": "", "run0002": "run0001", "run0003": "run0002", "run0004": ""} {
		same(t, "before "+run, must(s.Before(t.Context(), run))(t), before)
	}
	same(t, "behind the first", must(s.Behind(t.Context(), "run0001"))(t), []string{"run0002"})
	same(t, "behind the last", len(must(s.Behind(t.Context(), "run0003"))(t)), 0)

	write(t, s, &storage.Batch{OutOfLine: []string{"run0002", "run0009"}})
	same(t, "before who left", must(s.Before(t.Context(), "run0002"))(t), "")
	same(t, "before who is still there", must(s.Before(t.Context(), "run0003"))(t), "run0002")
	wantTaken(t, startKeyed(t, s, 5, start.Add(time.Hour), 0, true), "run0003")
}

func keyLineRace(t *testing.T, s storage.Store) {
	const runs = 12
	if err := startKeyed(t, s, 1, start, 0, true); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for n := 2; n <= runs; n++ {
		wg.Go(func() {
			taken := &storage.KeyTakenError{Run: "run0001"}
			for {
				err := joinLine(t, s, n, taken.Run)
				if err == nil {
					return
				}
				if !errors.As(err, &taken) {
					t.Errorf("run %d: %v", n, err)
					return
				}
			}
		})
	}
	wg.Wait()
	line := []string{"run0001"}
	for {
		behind := must(s.Behind(t.Context(), line[len(line)-1]))(t)
		if len(behind) == 0 {
			break
		}
		same(t, "how many are right behind "+line[len(line)-1], len(behind), 1)
		line = append(line, behind[0])
	}
	same(t, "length of the line", len(line), runs)
}
