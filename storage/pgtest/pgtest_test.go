package pgtest_test

import (
	"database/sql"
	"testing"
	"time"

	"sluice/storage/pgtest"
)

func TestEveryTestHasItsDatabase(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for range 3 {
		db, err := sql.Open("postgres", pgtest.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), "CREATE TABLE only_here (n int)"); err != nil {
			t.Fatalf("the database is not empty: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("ready after %v", time.Since(began).Round(time.Millisecond))
	}
}
