package sqlstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
	"sluice/storage/storagetest"
)

// inner is what export_test.go adds to the stores.
type inner interface {
	Observe(see func(query string))
	Raw(ctx context.Context, statements string) error
	Lines(ctx context.Context, query string, args ...any) ([][]any, error)
	ReadLines(ctx context.Context, query string, args ...any) ([][]any, error)
}

func openSQLite(t *testing.T) storage.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	return closing(t, s, err)
}

func openPostgres(t *testing.T) storage.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), pgtest.URL(t))
	return closing(t, s, err)
}

func closing(t *testing.T, s storage.Store, err error) storage.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// statements runs the whole suite and returns the text of every statement that the store used.
func statements(t *testing.T, open func(t *testing.T) storage.Store) []string {
	t.Helper()
	var mu sync.Mutex
	seen := map[string]bool{}
	t.Run("suite", func(t *testing.T) {
		storagetest.Run(t, func(t *testing.T) storage.Store {
			s := open(t)
			s.(inner).Observe(func(query string) {
				mu.Lock()
				defer mu.Unlock()
				seen[query] = true
			})
			return s
		})
	})
	if len(seen) < 40 {
		t.Fatalf("the suite used %d statements only: is it observed?", len(seen))
	}
	return slices.Sorted(maps.Keys(seen))
}

// mayScan reports whether reading an index from one end is right: all rows are asked for, or a few from that end.
func mayScan(query string) bool {
	return strings.Contains(query, "LIMIT") || !strings.Contains(query, "WHERE")
}

// asked reports whether a statement looks for the open gates of some people. It counts them all by an index that holds the open ones
// alone, and sorts those that it has found: there is no order that is right for every choice of people.
func asked(query string) bool {
	return strings.Contains(query, "GROUP BY asked") || strings.Contains(query, "AND asked IN")
}

// TestSQLiteScansNoTable looks at SQLite's plan of every statement.
func TestSQLiteScansNoTable(t *testing.T) {
	t.Parallel()
	list := statements(t, openSQLite)
	covered(t, list, ".", "../sqlite")
	s := openSQLite(t).(inner)
	ours := regexp.MustCompile(`^SCAN (v|json_each|both_kinds|\d+ CONSTANT ROWS?|CONSTANT ROW|\(subquery-\d+\))( |$)`)
	for _, query := range list {
		lines, err := s.Lines(t.Context(), "EXPLAIN QUERY PLAN "+query, make([]any, max(strings.Count(query, "?"), parameters(query)))...)
		if err != nil {
			t.Fatalf("%v in %s", err, query)
		}
		for _, line := range lines {
			step := fmt.Sprint(line[3])
			scan := strings.HasPrefix(step, "SCAN ") && !ours.MatchString(step)
			whole := !strings.Contains(query, "WHERE") // in the order of the primary key, or else there would be a sort
			if asked(query) && strings.Contains(step, "gates_asked") || asked(query) && !scan {
				continue
			}
			if scan && !whole && !(strings.Contains(step, "USING") && mayScan(query)) || strings.Contains(step, "TEMP B-TREE FOR ORDER BY") {
				t.Errorf("%s\n\tin %s", step, query)
			}
		}
	}
}

// TestPostgresScansNoTable looks at Postgres's plan of every statement when the tables are large.
func TestPostgresScansNoTable(t *testing.T) {
	t.Parallel()
	list := statements(t, openPostgres)
	covered(t, list, ".", "../postgres")
	s := openPostgres(t).(inner)
	if err := s.Raw(t.Context(), strings.ReplaceAll(crowd, "20000", fmt.Sprint(crowdSize))); err != nil {
		t.Fatal(err)
	}
	for _, query := range list {
		plan, err := explain(t.Context(), s, query)
		if err != nil {
			t.Fatalf("%v in %s", err, query)
		}
		plan.visit(func(n node) {
			switch {
			case n.Type == "Seq Scan":
				t.Errorf("Seq Scan on %s\n\tin %s", n.Relation, query)
			case strings.HasPrefix(n.Type, "Index") && n.Condition == "" && !mayScan(query):
				t.Errorf("the whole of index %s is read\n\tin %s", n.Index, query)
			case n.Type == "Sort" && strings.Contains(query, "LIMIT"):
				t.Errorf("rows are sorted\n\tin %s", query)
			}
		})
	}
}

// parameters counts $1, $2 ...
func parameters(query string) int {
	n := 0
	for regexp.MustCompile(fmt.Sprintf(`\$%d\b`, n+1)).MatchString(query) {
		n++
	}
	return n
}

// node is a step of Postgres's plan.
type node struct {
	Type      string `json:"Node Type"`
	Relation  string `json:"Relation Name"`
	Index     string `json:"Index Name"`
	Condition string `json:"Index Cond"`
	Plans     []node `json:"Plans"`
}

func (n node) visit(see func(node)) {
	see(n)
	for _, p := range n.Plans {
		p.visit(see)
	}
}

// explain asks for the plan that serves any parameters.
func explain(ctx context.Context, s inner, query string) (node, error) {
	nulls := strings.TrimSuffix(strings.Repeat("NULL, ", parameters(query)), ", ")
	if nulls != "" {
		nulls = "(" + nulls + ")"
	}
	err := s.Raw(ctx, "BEGIN; SET LOCAL plan_cache_mode = force_generic_plan; PREPARE looked_at AS "+query+
		"; CREATE TEMP TABLE plan (line json)"+
		`; DO $do$ DECLARE l json; BEGIN EXECUTE $q$EXPLAIN (FORMAT JSON) EXECUTE looked_at`+nulls+`$q$ INTO l; INSERT INTO plan VALUES (l); END $do$`+
		"; CREATE TABLE IF NOT EXISTS plans (line json); DELETE FROM plans; INSERT INTO plans SELECT line FROM plan"+
		"; DROP TABLE plan; DEALLOCATE looked_at; COMMIT")
	if err != nil {
		return node{}, err
	}
	lines, err := s.Lines(ctx, "SELECT line FROM plans")
	if err != nil {
		return node{}, err
	}
	var plans []struct{ Plan node }
	if err := json.Unmarshal(lines[0][0].([]byte), &plans); err != nil {
		return node{}, err
	}
	return plans[0].Plan, nil
}

// crowd fills the tables that grow.
const crowd = `
INSERT INTO runs SELECT 'x' || n, 'flow' || n % 50, 1, n, 'flow-' || n, '', '', 'done', 1, 1, '', '', '', '', 1,
	now() - n * interval '1 minute', CASE WHEN n % 100 > 0 THEN now() END, NULL FROM generate_series(1, 20000) n;
INSERT INTO run_keys SELECT 'flow' || n % 50, 'key' || n, 'x' || n, now() FROM generate_series(1, 20000) n;
INSERT INTO run_queue SELECT 'x' || n, 'x' || n + 1 FROM generate_series(1, 20000) n;
INSERT INTO spend SELECT 'flow' || n, '2026-11', n FROM generate_series(1, 20000) n;
INSERT INTO run_numbers SELECT 'flow' || n, n FROM generate_series(1, 2000) n;
INSERT INTO blobs SELECT 'hash' || n, 'x' FROM generate_series(1, 20000) n;
INSERT INTO facts SELECT 'x' || n, seq, 'kind' || seq, 1, now(), NULL, 1, '', 1, 'x', NULL
	FROM generate_series(1, 20000) n, generate_series(1, 5) seq;
INSERT INTO leases SELECT 'x' || n, 1, 1, NULL, NULL FROM generate_series(1, 20000) n;
INSERT INTO timers SELECT 'x' || n || '/1', 'x' || n, 1, '', now() + n * interval '1 minute', now() + n * interval '1 minute'
	FROM generate_series(1, 20000) n;
INSERT INTO events SELECT 'e' || n, 'name' || n % 500, now() - n * interval '1 second', 'x' FROM generate_series(1, 20000) n;
INSERT INTO waits SELECT 'x' || n, 1, 'name' || n % 500, now() FROM generate_series(1, 20000) n;
INSERT INTO gates SELECT 'x' || n || '/1', 'x' || n, 1, '', '', CASE WHEN n % 100 > 0 THEN 'decided' ELSE 'open' END, '', '',
	now() - n * interval '1 minute', NULL, NULL, NULL FROM generate_series(1, 20000) n;
INSERT INTO flows SELECT 'flow' || n, 1, '', '', FALSE, now() FROM generate_series(1, 2000) n;
INSERT INTO pauses SELECT 'flow' || n * 2, NULL, '', now() FROM generate_series(1, 20000) n;
INSERT INTO revisions SELECT 'flow' || n, r, '', '', NULL, NULL, '', '', now() FROM generate_series(1, 2000) n, generate_series(1, 5) r;
INSERT INTO drafts SELECT 'd' || n, 'C1', 't' || n / 3, n, '', '', '', 1, '', NULL, 1, now() FROM generate_series(1, 20000) n;
INSERT INTO schedules SELECT 's' || n, 'flow' || n % 50, '', '', NULL, '', '', now() + n * interval '1 minute', NULL, '', '',
	FALSE, 0, 1, 'x' || n, CASE WHEN n % 100 = 0 THEN '[1]'::bytea END FROM generate_series(1, 20000) n;
INSERT INTO agents SELECT 'agent' || n, '', NULL FROM generate_series(1, 20000) AS n;
INSERT INTO triggers SELECT 'flow' || n || '/message/0', 'flow' || n % 2000, 1, n % 10, 'message', 'C' || n % 500, NULL, '', ''
	FROM generate_series(1, 20000) n;
INSERT INTO trigger_starts SELECT 'flow' || n % 50, 'message', 'C1/' || n, 'x' || n, now() FROM generate_series(1, 20000) n;
INSERT INTO inbox (key, thread, kind, payload, received, done) SELECT 'k' || n, '', '', NULL, now(), n % 100 > 0
	FROM generate_series(1, 20000) n;
INSERT INTO surfaces SELECT 'f' || n, '', 'run:x' || n, 'C1', '', '', 'ts' || n, NULL, 1, 1, '', '', NULL, 0, now(),
	CASE WHEN n % 100 = 0 THEN n END FROM generate_series(1, 20000) n;
INSERT INTO audit (at, user_id, team, via, what, ref, detail) SELECT now(), '', '', '', '', 'flow' || n % 500, NULL
	FROM generate_series(1, 20000) n;
INSERT INTO processes SELECT 'p' || n, 1, now() FROM generate_series(1, 2000) n;
INSERT INTO removed_runs SELECT 'y' || n, 'flow', 1, n, 'flow-' || n, 'done', 1, '', '', '', '', 1, now(), now(), now(), n % 1000 = 0
	FROM generate_series(1, 20000) n;
INSERT INTO trail SELECT 'y' || n, seq, 'kind' || seq, 1, now(), NULL, 1, '', 1, 'x'
	FROM generate_series(1, 20000) n, generate_series(1, 3) seq;
INSERT INTO roles SELECT 'r' || n, 'p' || n, now() FROM generate_series(1, 2000) n;
ANALYZE;`
