//go:build unix

package pgtest_test

import (
	"database/sql"
	"testing"

	"sluice/storage/pgtest"
)

func TestWhatAStoppedServerHasAnsweredIsNotLost(t *testing.T) {
	t.Parallel()
	s := pgtest.NewServer(t)
	db, err := sql.Open("postgres", s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE kept (n int)"); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if _, err := db.ExecContext(t.Context(), "INSERT INTO kept VALUES ($1)", n); err != nil {
			t.Fatal(err)
		}
		s.Stop()
		if err := db.PingContext(t.Context()); err == nil {
			t.Fatal("the server answers although it was stopped")
		}
		s.Start()
		var rows int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM kept").Scan(&rows); err != nil || rows != n+1 {
			t.Fatalf("%d rows after stop %d: %v", rows, n+1, err)
		}
	}
}
