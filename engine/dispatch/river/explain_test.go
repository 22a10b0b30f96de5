package river

import (
	"database/sql"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	_ "github.com/lib/pq" // the store's driver

	"sluice/storage/pgtest"
)

// past fills River's table with jobs that are over, some that wait and some that are performed, beside leases as the store has them.
const past = `
INSERT INTO river_job (args, kind, max_attempts, queue, priority, state, finalized_at, attempted_by, attempted_at)
	SELECT jsonb_build_object('run', 'x' || n, 'token', 1, 'epoch', 1), 'carry', 25, 'sluice', 1,
		(CASE WHEN n % 500 = 0 THEN 'available' WHEN n % 500 = 1 THEN 'running' ELSE 'completed' END)::river_job_state,
		CASE WHEN n % 500 > 1 THEN now() END, ARRAY['p' || n % 7], now()
	FROM generate_series(1, 50000) n;
CREATE TABLE leases (run TEXT, token BIGINT, epoch BIGINT, worker TEXT, job_id BIGINT, PRIMARY KEY (run, token));
CREATE INDEX leases_free ON leases (run, token) WHERE worker IS NULL;
INSERT INTO leases SELECT 'x' || n, 1, 1, CASE WHEN n % 3 = 0 THEN 'p1' END, n FROM generate_series(1, 50000) n;
ANALYZE;`

// TestNoStatementReadsThePast looks at Postgres's plan of every statement about the queue: none reads the jobs that are over.
func TestNoStatementReadsThePast(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	d, err := Open(t.Context(), address, Options{Name: "test", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.pool.Close)
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), past+"SET plan_cache_mode = force_generic_plan"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		statement string
		values    string
	}{
		"put":     {putItems, "'{x1}', '{1}', '{1}'"},
		"gone":    {"SELECT run FROM leases WHERE worker IS NULL AND (job_id IS NULL OR " + strings.ReplaceAll(Gone, "{job}", "leases.job_id") + ") ORDER BY run, token LIMIT $1", "9"},
		"end":     {strings.ReplaceAll(End, "{job}", "$1"), "1"},
		"enddead": {EndDead, "'{p1,p2}'"},
		"waking":  {waking, "'x1', 1, 1"},
		"replace": {strings.Replace(Put, "{rows}", "leases AS v WHERE v.run = $1 AND v.token = $2", 1), "'x1', 1"},
	} {
		for _, scan := range scans(t, db, c.statement, c.values) {
			t.Errorf("%s reads the whole of %s: %s", name, scan, c.statement)
		}
	}
}

// scans lists the tables that a statement reads from end to end.
func scans(t *testing.T, db *sql.DB, statement, values string) (tables []string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), "PREPARE looked_at AS "+statement); err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
	var raw []byte
	if err := db.QueryRowContext(t.Context(), "EXPLAIN (FORMAT JSON) EXECUTE looked_at ("+values+")").Scan(&raw); err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
	if _, err := db.ExecContext(t.Context(), "DEALLOCATE looked_at"); err != nil {
		t.Fatal(err)
	}
	type node struct {
		Type      string `json:"Node Type"`
		Relation  string `json:"Relation Name"`
		Condition string `json:"Index Cond"`
		Index     string `json:"Index Name"`
		Plans     []node `json:"Plans"`
	}
	var plans []struct{ Plan node }
	if err := json.Unmarshal(raw, &plans); err != nil {
		t.Fatal(err)
	}
	var look func(n node)
	look = func(n node) {
		if n.Type == "Seq Scan" || strings.HasPrefix(n.Type, "Index") && n.Condition == "" && !strings.Contains(statement, "LIMIT") {
			tables = append(tables, n.Relation+n.Index)
		}
		for _, p := range n.Plans {
			look(p)
		}
	}
	look(plans[0].Plan)
	return tables
}
