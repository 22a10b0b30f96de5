package sqlstore_test

import (
	"fmt"
	"testing"

	"sluice/storage"
	"sluice/storage/storagetest"
)

func raw(t *testing.T, s storage.Store, statements string) {
	t.Helper()
	if err := s.(inner).Raw(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}

func TestSQLiteAllOrNothing(t *testing.T) {
	t.Parallel()
	storagetest.RunFaults(t, openSQLite, func(t *testing.T, s storage.Store, table string) func() {
		for _, change := range []string{"insert", "update", "delete"} {
			raw(t, s, fmt.Sprintf(`CREATE TRIGGER refuse_%[1]s BEFORE %[1]s ON %[2]s BEGIN SELECT raise(ABORT, 'refused'); END`,
				change, table))
		}
		return func() {
			raw(t, s, "DROP TRIGGER refuse_insert; DROP TRIGGER refuse_update; DROP TRIGGER refuse_delete")
		}
	})
}

func TestPostgresAllOrNothing(t *testing.T) {
	t.Parallel()
	storagetest.RunFaults(t, openPostgres, func(t *testing.T, s storage.Store, table string) func() {
		raw(t, s, `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$ LANGUAGE plpgsql`)
		raw(t, s, `CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON `+table+` FOR EACH ROW EXECUTE FUNCTION refuse()`)
		return func() { raw(t, s, "DROP TRIGGER refuse ON "+table) }
	})
}
