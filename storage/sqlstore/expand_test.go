package sqlstore_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sluice/migrations"
	"sluice/storage/pgtest"
	"sluice/storage/sqlstore"
)

// While processes are replaced by newer ones, those of the release before go on with their statements on the newer database. They can as
// long as each step only adds to what was there: what they name keeps its type, what they leave out may be left out, and what they may
// store is not refused.

// contracted are the things that a step takes away or makes narrower after all, and why no process of the release before needs them: by step,
// as the test names them.
var contracted = map[int]map[string]string{}

// shape is what a database's statements can rely on: a line for each thing by its name.
type shape map[string]string

const optional = " optional"

// shapeQueries read a database's columns, and what makes rows unique or refuses them.
var shapeQueries = map[string][]string{
	"sqlite": {
		`SELECT m.name || '.' || c.name, c.type || CASE WHEN c."notnull" = 0 AND c.pk = 0 OR c.dflt_value IS NOT NULL OR c.type = 'INTEGER' AND c.pk = 1
			THEN ' optional' ELSE '' END FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
		`SELECT m.name || ' unique ' || (SELECT group_concat(name) FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno)), coalesce(i.partial, 0)
			FROM sqlite_master AS m, pragma_index_list(m.name) AS i WHERE m.type = 'table' AND i."unique"`,
		`SELECT m.name || ' refers to ' || f."table" || ' ' || f."from", '' FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'`,
		`SELECT tbl_name || ' trigger ' || name, '' FROM sqlite_master WHERE type = 'trigger'`,
	},
	"postgres": {
		`SELECT table_name || '.' || column_name, data_type || CASE WHEN is_nullable = 'YES' OR column_default IS NOT NULL OR is_identity = 'YES'
			THEN ' optional' ELSE '' END FROM information_schema.columns WHERE table_schema = current_schema()`,
		`SELECT i.indrelid::regclass || ' unique ' || (SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(i.indkey) WITH ORDINALITY AS k (col, n)
				JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.col), coalesce(pg_get_expr(i.indpred, i.indrelid), '')
			FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid WHERE i.indisunique AND c.relnamespace = current_schema()::regnamespace`,
		`SELECT conrelid::regclass || ' refuses ' || pg_get_constraintdef(oid), '' FROM pg_constraint
			WHERE contype IN ('c', 'f', 'x') AND connamespace = current_schema()::regnamespace`,
		`SELECT tgrelid::regclass || ' trigger ' || tgname, '' FROM pg_trigger WHERE NOT tgisinternal`,
	},
}

func shapeOf(t *testing.T, db *sql.DB, kind string) shape {
	t.Helper()
	s := shape{}
	for _, query := range shapeQueries[kind] {
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatalf("%v in %s", err, query)
		}
		for rows.Next() {
			var name, what string
			if err := rows.Scan(&name, &what); err != nil {
				t.Fatal(err)
			}
			s[name] = what
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// table is the table that a thing is of.
func table(thing string) string {
	name, _, _ := strings.Cut(thing, " ")
	name, _, _ = strings.Cut(name, ".")
	return name
}

// narrower lists what statements made for one shape cannot do on another.
func (s shape) narrower(next shape) (list []string) {
	known := map[string]bool{}
	for _, thing := range slices.Sorted(maps.Keys(s)) {
		known[table(thing)] = true
		was, is := s[thing], next[thing]
		_, there := next[thing]
		switch {
		case !there:
			list = append(list, thing+" is gone")
		case was != is && strings.TrimSuffix(is, optional) != was: // what had to be given may be left out from now on
			list = append(list, fmt.Sprintf("%s was %s and is %s", thing, was, is))
		}
	}
	for _, thing := range slices.Sorted(maps.Keys(next)) {
		_, was := s[thing]
		switch {
		case was || !known[table(thing)]:
		case strings.Contains(thing, " "):
			list = append(list, thing+" is new")
		case !strings.HasSuffix(next[thing], optional):
			list = append(list, thing+" must be given")
		}
	}
	return list
}

// TestEachStepOnlyAdds compares what each step of the migrations makes with what was there before it.
func TestEachStepOnlyAdds(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct {
		driver string
		source func(t *testing.T) string
		files  fs.FS
	}{
		"sqlite":   {"sqlite", func(t *testing.T) string { return filepath.Join(t.TempDir(), "shape.db") }, migrations.SQLite},
		"postgres": {"postgres", func(t *testing.T) string { return pgtest.URL(t) }, migrations.Postgres},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			steps, err := sqlstore.Migrations(c.files, kind)
			if err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open(c.driver, c.source(t))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			before := shape{}
			for _, step := range steps {
				if _, err := db.ExecContext(t.Context(), step.SQL); err != nil {
					t.Fatalf("%s: %v", step.Name, err)
				}
				now := shapeOf(t, db, kind)
				if len(now) <= len(before) && step.Number == 1 {
					t.Fatalf("%s: the database has no shape", step.Name)
				}
				for _, what := range before.narrower(now) {
					if contracted[step.Number][what] == "" {
						t.Errorf("%s: %s: processes of the release before may still count on it", step.Name, what)
					}
				}
				before = now
			}
		})
	}
}

// TestWhatIsNarrower is about the steps that must not be.
func TestWhatIsNarrower(t *testing.T) {
	t.Parallel()
	const first = `CREATE TABLE a (id TEXT PRIMARY KEY, n BIGINT NOT NULL, note TEXT); CREATE INDEX a_n ON a (n);`
	cases := []struct{ name, step, sqlite, postgres string }{
		{"what is added", "ALTER TABLE a ADD COLUMN more TEXT; ALTER TABLE a ADD COLUMN m BIGINT NOT NULL DEFAULT 0; CREATE INDEX a_m ON a (m);", "", ""},
		{"a new table", "CREATE TABLE b (id TEXT PRIMARY KEY, n BIGINT NOT NULL UNIQUE CHECK (n > 0));", "", ""},
		{"a column is gone", "ALTER TABLE a DROP COLUMN note", "a.note is gone", "a.note is gone"},
		{"a column has another name", "ALTER TABLE a RENAME COLUMN note TO text", "a.note is gone", "a.note is gone"},
		{"a table is gone", "DROP TABLE a", "a unique id is gone", "a unique id is gone"},
		{"something must be unique", "CREATE UNIQUE INDEX a_note ON a (note)", "a unique note is new", "a unique note is new"},
		{"something must be given", "ALTER TABLE a ALTER COLUMN note SET NOT NULL", "-", "a.note was text optional and is text"},
		{"a new thing must be given", "ALTER TABLE a ADD COLUMN more TEXT NOT NULL", "-", "a.more must be given"},
		{"another type", "ALTER TABLE a ALTER COLUMN n TYPE TEXT", "-", "a.n was bigint and is text"},
		{"something is refused", "ALTER TABLE a ADD CHECK (n > 0)", "-", "a refuses CHECK ((n > 0)) is new"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for kind, want := range map[string]string{"sqlite": c.sqlite, "postgres": c.postgres} {
				if want == "-" {
					continue
				}
				source := filepath.Join(t.TempDir(), "shape.db")
				if kind == "postgres" {
					source = pgtest.URL(t)
				}
				db, err := sql.Open(kind, source)
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				if _, err := db.ExecContext(t.Context(), first); err != nil {
					t.Fatal(err)
				}
				before := shapeOf(t, db, kind)
				if _, err := db.ExecContext(t.Context(), c.step); err != nil {
					t.Fatal(err)
				}
				got := before.narrower(shapeOf(t, db, kind))
				if (want == "") != (len(got) == 0) || want != "" && !slices.Contains(got, want) {
					t.Errorf("%s: %q, want %q", kind, got, want)
				}
			}
		})
	}
}
