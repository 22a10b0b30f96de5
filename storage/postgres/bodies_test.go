package postgres_test

import (
	"bytes"
	"database/sql"
	"testing"
	"time"

	"sluice/storage"
	"sluice/storage/pgtest"
)

// TestABodyThatSomebodyNeedsMeanwhileStays removes a run's facts while another transaction, which is not over yet, refers to their large
// body: the server refuses to remove the body, and the store leaves it where it is.
func TestABodyThatSomebodyNeedsMeanwhileStays(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s := openAt(t, address)
	r := storage.Run{ID: "r1", Flow: "f", Number: 1, Name: "f-1", Status: "succeeded", Started: time.Unix(1, 0), Ended: time.Unix(2, 0)}
	body := bytes.Repeat([]byte("b"), 70<<10)
	facts := []storage.Fact{{Seq: 1, Kind: "step_finished", Body: body}}
	if err := s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: facts}}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), storage.Removal{Run: &r, At: time.Unix(3, 0)}); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const refer = `INSERT INTO facts (run, seq, kind, version, token, node, step, blob) SELECT 'r2', 1, 'step_finished', 1, 0, '', 0, hash FROM blobs`
	if _, err := tx.ExecContext(t.Context(), refer); err != nil {
		t.Fatal(err)
	}
	removed := make(chan error, 1)
	go func() {
		_, err := s.RemoveFacts(t.Context(), 9)
		removed <- err
	}()
	for late := time.Now().Add(soon); ; {
		var waiting int
		const count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
		if err := db.QueryRowContext(t.Context(), count).Scan(&waiting); err != nil || time.Now().After(late) {
			t.Fatalf("nobody waits for the other transaction (%v)", err)
		}
		if waiting > 0 {
			break
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-removed; err != nil {
		t.Errorf("remove: %v", err)
	}
	left, err := s.Facts(t.Context(), "r2", 0)
	if err != nil || len(left) != 1 || !bytes.Equal(left[0].Body, body) {
		t.Errorf("%d facts are left, %v", len(left), err)
	}
	if gone, err := s.Facts(t.Context(), r.ID, 0); err != nil || len(gone) > 0 {
		t.Errorf("%d facts of the removed run are left, %v", len(gone), err)
	}
}
