package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"sluice/migrations"
	"sluice/storage"
	"sluice/storage/sqlstore"
)

// store adds to the common store what a file can do.
type store struct {
	*sqlstore.Store
	path string
}

// Option changes how a store is opened.
type Option func() (setting string)

// pageSize is the size of a page of a new file, in bytes.
const pageSize = 4096

// MaxSize bounds the file, in bytes: past that, a write meets storage.ErrFull as on a full disk. What SQLite keeps beside the file
// comes on top.
func MaxSize(bytes int64) Option {
	return func() string { return fmt.Sprintf("_pragma=max_page_count(%d)", max(1, bytes/pageSize)) }
}

// Open opens the store in the file at path, which it creates with its directory when there is none, and migrates it.
// Errors: storage.ErrNewer, storage.ErrUnavailable (another process writes for longer than five seconds), storage.ErrFull.
func Open(ctx context.Context, path string, options ...Option) (storage.Store, error) {
	settings := []string{"_txlock=immediate", "_pragma=journal_mode(wal)"}
	for _, choose := range options {
		settings = append(settings, choose())
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		if noSpace(err) {
			err = fmt.Errorf("%w: %w", storage.ErrFull, err)
		}
		return nil, fmt.Errorf("make the directory of the database: %w", err)
	}
	// The writer comes first: it makes the file and turns it to WAL, which a reader could not.
	write, err := pool(path, 1, settings...)
	if err != nil {
		return nil, err
	}
	d := &dialect{write: write}
	if err := migrate(ctx, write); err != nil {
		err = fmt.Errorf("open database %s: %w", path, err)
		switch {
		case d.Full(err) || d.Unavailable(err) && full(filepath.Dir(path)):
			err = fmt.Errorf("%w: %w", storage.ErrFull, err)
		case sqlstore.Unavailable(d, err):
			err = fmt.Errorf("%w: %w", storage.ErrUnavailable, err)
		}
		return nil, errors.Join(err, write.Close())
	}
	read, err := pool(path, max(4, 2*runtime.NumCPU()), "_pragma=query_only(1)")
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	return &store{Store: sqlstore.New(read, write, d), path: path}, nil
}

// least is the package that SQLite needs to open a file: it keeps an index of that size beside it.
const least = 64 << 10

// full finds out whether a directory has no space. SQLite calls it an input/output error when it cannot make its files.
func full(dir string) bool {
	f, err := os.CreateTemp(dir, ".space-*")
	if err != nil {
		return noSpace(err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, least))
	return noSpace(errors.Join(err, f.Close()))
}

// noSpace reports whether the disk, or the user's quota, is used up.
func noSpace(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// pool makes a pool of connections; every one of them starts with the settings.
func pool(path string, size int, settings ...string) (*sqlstore.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the database: %w", err)
	}
	settings = append(settings, "_pragma=busy_timeout(5000)", "_pragma=foreign_keys(1)", "_pragma=synchronous(full)")
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: strings.Join(settings, "&")}
	db, err := sqlx.Open("sqlite", address.String())
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return sqlstore.NewDB(db), nil
}

func migrate(ctx context.Context, db *sqlstore.DB) error {
	steps, err := sqlstore.Migrations(migrations.SQLite, "sqlite")
	if err != nil {
		return err
	}
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	if err := sqlstore.Migrate(ctx, tx, steps); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
