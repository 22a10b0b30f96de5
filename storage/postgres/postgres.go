package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"sluice/migrations"
	"sluice/storage"
	"sluice/storage/sqlstore"
)

// connections is how many connections one process opens at most; the one that holds the right to serve comes on top. More than
// this many transitions at a time only wait for the disk together.
const connections = 24

// store adds to the common store what a server can do.
type store struct {
	*sqlstore.Store
	connector *pq.Connector
	locks     *sqlx.DB
	db        *sqlstore.DB
	dialect   *dialect
}

// Open opens the store in the database at the URL and migrates it. When the URL does not say, encryption is used if the server
// offers it. Errors: storage.ErrNewer, storage.ErrUnavailable (the server cannot be reached); none repeats the password.
func Open(ctx context.Context, databaseURL string, options ...Option) (storage.Store, error) {
	address, err := settings(databaseURL)
	if err != nil {
		return nil, err
	}
	connector, err := pq.NewConnector(address)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	db := sqlstore.NewDB(sqlx.NewDb(pool, "postgres"))
	d := &dialect{db: db}
	for _, choose := range options {
		choose(d)
	}
	if err := migrate(ctx, db); err != nil {
		err = fmt.Errorf("open the database: %w", err)
		if sqlstore.Unavailable(d, err) {
			err = fmt.Errorf("%w: %w", storage.ErrUnavailable, err)
		}
		return nil, errors.Join(err, db.Close())
	}
	return &store{Store: sqlstore.New(db, db, d), connector: connector, locks: lockPool(sql.OpenDB(connector)), db: db, dialect: d}, nil
}

// settings adds to the URL what it leaves open.
func settings(databaseURL string) (string, error) {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return "", errors.New("open the database: its address is not a valid URL")
	}
	q := u.Query()
	q.Set("binary_parameters", "yes")
	for name, value := range map[string]string{
		"application_name": "sluice", "connect_timeout": "10", "sslmode": "prefer",
		// Every statement is prepared and looks rows up by an index: one plan serves all parameters, also while a table is still small. To
		// plan a transition anew costs as much as to execute it.
		"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off",
	} {
		variable := map[string]string{"sslmode": "PGSSLMODE", "application_name": "PGAPPNAME", "connect_timeout": "PGCONNECT_TIMEOUT"}
		if !q.Has(name) && os.Getenv(variable[name]) == "" {
			q.Set(name, value)
		}
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

func migrate(ctx context.Context, db *sqlstore.DB) error {
	steps, err := sqlstore.Migrations(migrations.Postgres, "postgres")
	if err != nil {
		return err
	}
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock("+lockKey("migrate")+")"); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := sqlstore.Migrate(ctx, tx, steps); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// lockKey is the number of an advisory lock for a purpose, different in each schema of the database.
func lockKey(purpose string) string {
	return "hashtextextended('sluice " + purpose + " ' || current_schema(), 0)"
}
