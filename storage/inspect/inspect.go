// Package inspect looks at a database that another process may serve: it reads, takes no lock, writes nothing and applies no
// migration. To use the database, open it with storage/sqlite or storage/postgres.
//
// # Decisions
//
//   - It has its own few statements instead of a read-only store: the store's tables may be older or newer than this program knows.
package inspect

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "github.com/lib/pq"  // the driver "postgres"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"sluice/migrations"
	"sluice/storage"
	"sluice/storage/sqlstore"
)

// Found is what is known of a database.
type Found struct {
	Kind     string        // storage.SQLite or storage.Postgres
	Missing  bool          // there is no database yet; serve makes it
	Version  string        // of the server, or of SQLite
	Step     int           // of its shape
	Newest   int           // step that this program knows
	Writable error         // why it cannot be written; nil = it can
	Clock    time.Duration // how far its clock is ahead of this machine's; only of a server
	Flows    []Flow
}

// Flow is a flow's newest revision.
type Flow struct {
	Name, Channel string
	Body          []byte
}

// Look looks at the database of a URL, as storage.ParseURL reads it.
func Look(ctx context.Context, databaseURL, data string) (Found, error) {
	kind, dsn, err := storage.ParseURL(databaseURL, data)
	if err != nil {
		return Found{}, err
	}
	f := Found{Kind: kind}
	if kind == storage.Postgres {
		err = f.postgres(ctx, dsn)
	} else {
		err = f.sqlite(ctx, dsn)
	}
	return f, err
}

func (f *Found) sqlite(ctx context.Context, path string) error {
	f.Newest = newest(sqlstore.Migrations(migrations.SQLite, "sqlite"))
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		f.Missing, f.Writable = true, writableDir(filepath.Dir(path))
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", path)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if f.Writable = err; err == nil {
		f.Writable = errors.Join(file.Close(), writableDir(filepath.Dir(path)))
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro&_pragma=busy_timeout(2000)&_pragma=query_only(1)")
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.QueryRowContext(ctx, "SELECT 'SQLite ' || sqlite_version()").Scan(&f.Version); err != nil {
		return err
	}
	return f.read(ctx, db)
}

// writableDir reports why nothing can be made in a directory, or in the nearest one above it that there is.
func writableDir(dir string) error {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is no directory", dir)
		case err == nil:
			return writable(dir)
		case !errors.Is(err, os.ErrNotExist) || filepath.Dir(dir) == dir:
			return err
		}
		dir = filepath.Dir(dir)
	}
}

func (f *Found) postgres(ctx context.Context, dsn string) error {
	f.Newest = newest(sqlstore.Migrations(migrations.Postgres, "postgres"))
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var now time.Time
	var standby, reads, creates bool
	began := time.Now()
	const query = `SELECT 'Postgres ' || current_setting('server_version'), clock_timestamp(), pg_is_in_recovery(),
		current_setting('default_transaction_read_only') = 'on', has_schema_privilege(current_schema(), 'CREATE')`
	if err := tx.QueryRowContext(ctx, query).Scan(&f.Version, &now, &standby, &reads, &creates); err != nil {
		return err
	}
	f.Clock = now.Sub(began.Add(time.Since(began) / 2))
	switch {
	case standby:
		f.Writable = errors.New("the server is a standby, which only reads")
	case reads:
		f.Writable = errors.New("default_transaction_read_only is on")
	case !creates:
		f.Writable = errors.New("this user may not make tables in the schema, which migrations do")
	}
	return f.read(ctx, tx)
}

// reader is a database or a transaction.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// read takes what is in the tables; a database without them is new.
func (f *Found) read(ctx context.Context, db reader) error {
	tables := "SELECT count(*) FROM sqlite_master WHERE name = 'schema_steps'"
	if f.Kind == storage.Postgres {
		tables = "SELECT count(*) FROM pg_class WHERE oid = to_regclass('schema_steps')"
	}
	var n int
	if err := db.QueryRowContext(ctx, tables).Scan(&n); err != nil {
		return err
	}
	if f.Missing = n == 0; f.Missing {
		return nil
	}
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max(number), 0) FROM schema_steps").Scan(&f.Step); err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, "SELECT f.name, f.channel, r.body FROM flows f JOIN revisions r ON r.flow = f.name AND r.number = f.head ORDER BY f.name")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var flow Flow
		if err := rows.Scan(&flow.Name, &flow.Channel, &flow.Body); err != nil {
			return err
		}
		f.Flows = append(f.Flows, flow)
	}
	return rows.Err()
}

func newest(steps []sqlstore.Migration, err error) int {
	if err != nil {
		return 0
	}
	return len(steps)
}
