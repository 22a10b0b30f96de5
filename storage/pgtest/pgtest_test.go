package pgtest_test

import (
	"database/sql"
	"fmt"
	"testing"

	"sluice/storage/pgtest"
)

func TestEveryTestHasItsDatabase(t *testing.T) {
	t.Parallel()
	for n := range 6 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n < 4 {
				t.Parallel()
			}
			db, err := sql.Open("postgres", pgtest.URL(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, statement := range []string{
				"CREATE TABLE only_here (n int)", "CREATE SCHEMA another", "CREATE TABLE another.one (n int)",
				"CREATE TYPE mood AS ENUM ('sad')",
			} {
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Fatalf("the database is not empty: %v", err)
				}
			}
			// Its connections stay open, as those of a careless test do.
		})
	}
}
